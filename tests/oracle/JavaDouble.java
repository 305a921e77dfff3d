package oracle;

import com.google.common.hash.HashFunction;
import com.google.common.hash.Hashing;
import java.util.BitSet;
import oracle.Facts.SplitMix;

/**
 * The oracle of strategy java-double: the plain Bloom filter of Java textbooks, over
 * java.util.BitSet. java_double_ours.cc makes the same draws and writes the same facts. Only
 * murmur3_32 comes from Guava.
 */
public final class JavaDouble {
  static final int CASES = 1500;
  static final int LARGE_CASES = 8; // the last ones

  private final BitSet bits = new BitSet();
  private final int m;
  private final int k;
  private final HashFunction first;
  private final HashFunction second;

  /** The number of hashes that Math.abs leaves negative: -2^31. */
  private int overflows = 0;

  JavaDouble(int n, double p, int seed1, int seed2) {
    m = (int) (-n * Math.log(p) / (Math.log(2) * Math.log(2)));
    k = Math.max(1, (int) Math.round((double) m / n * Math.log(2)));
    first = Hashing.murmur3_32_fixed(seed1);
    second = Hashing.murmur3_32_fixed(seed2);
  }

  /**
   * Math.abs(Integer.MIN_VALUE) is negative, and so is its remainder: BitSet throws. Only here the
   * filter differs from the textbook: it takes 2^31 % m, as the strategy is defined. The number of
   * such cases is counted and printed.
   */
  private int index(int h1, int h2, int i) {
    int hash = h1 + i * h2;
    if (hash == Integer.MIN_VALUE) {
      overflows++;
      return (int) ((1L << 31) % m);
    }
    return Math.abs(hash) % m;
  }

  boolean put(byte[] key) {
    int h1 = first.hashBytes(key).asInt();
    int h2 = second.hashBytes(key).asInt();
    boolean changed = false;
    for (int i = 0; i < k; i++) {
      int index = index(h1, h2, i);
      changed |= !bits.get(index);
      bits.set(index);
    }
    return changed;
  }

  boolean mightContain(byte[] key) {
    int h1 = first.hashBytes(key).asInt();
    int h2 = second.hashBytes(key).asInt();
    for (int i = 0; i < k; i++) if (!bits.get(index(h1, h2, i))) return false;
    return true;
  }

  // ---- the draws and the facts: java_double_ours.cc ----

  static byte[] key(SplitMix rng, boolean isLong) {
    if (isLong) return bytesOf(rng.next(), 8);
    boolean isWide = rng.below(16) == 0;
    byte[] key = new byte[rng.below(isWide ? 1000 : 30)];
    for (int i = 0; i < key.length; i++) key[i] = (byte) (rng.next() >>> 56);
    return key;
  }

  static byte[] bytesOf(long value, int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) bytes[i] = (byte) (value >>> (8 * i));
    return bytes;
  }

  static int seed(SplitMix rng) {
    int usual = rng.below(4);
    int any = (int) (rng.next() >>> 32);
    int small = rng.below(3) - 1;
    return usual == 0 ? small : any;
  }

  static void tryCase(long seed, int number, Facts facts) {
    SplitMix rng = SplitMix.of(seed, number);
    boolean isLarge = number >= CASES - LARGE_CASES;
    boolean isLong = rng.below(2) == 1;
    boolean isTiny = rng.below(2) == 0;
    int n = isLarge ? 20000 + rng.below(2000000) : 1 + rng.below(isTiny ? 10 : 3000);
    double unit = rng.unit();
    boolean isPlain = rng.below(2) == 0;
    int power = rng.below(16);
    double p = isPlain ? unit : unit * Double.parseDouble("1e-" + power);
    if (isLarge) p = 0.001 + unit / 16;
    int seed1 = seed(rng);
    int seed2 = seed(rng);
    int puts = isLarge ? 20000 : rng.below(2 * Math.min(n, 400) + 9);
    int asks = isLarge ? 20000 : 200;
    long keys = rng.next();
    facts.line(
        "case " + number + (isLong ? " u64" : " bytes") + " n=" + n + " p="
            + Facts.hex64(Double.doubleToRawLongBits(p)) + " seeds=" + seed1 + "," + seed2);

    // The strategy takes two seeds of 0 as 0 and 1: otherwise h1 would equal h2.
    boolean isDefault = seed1 == 0 && seed2 == 0;
    JavaDouble filter = new JavaDouble(n, p, seed1, isDefault ? 1 : seed2);
    if (filter.m == 0) {
      facts.line("no bits");
      return;
    }
    facts.line("m=" + filter.m + " k=" + filter.k);
    BitSet put = new BitSet();
    BitSet present = new BitSet();
    BitSet absent = new BitSet();
    for (int i = 0; i < puts; i++) {
      boolean again = rng.below(8) == 0;
      int which = rng.below(i + 1);
      put.set(i, filter.put(key(SplitMix.of(keys, again ? which : i), isLong)));
    }
    for (int i = 0; i < puts; i++)
      present.set(i, filter.mightContain(key(SplitMix.of(keys, i), isLong)));
    for (int i = 0; i < asks; i++)
      absent.set(i, filter.mightContain(key(SplitMix.of(keys, (1L << 30) + i), isLong)));
    facts.answers("put", put, puts);
    facts.answers("present", present, puts);
    facts.answers("absent", absent, asks);
    facts.line("set=" + filter.bits.cardinality());
    allOverflows += filter.overflows;
  }

  static long allOverflows = 0;

  /** Undoes x ^= x >>> shift. */
  static int unshift(int x, int shift) {
    int y = x;
    for (int i = 0; i < 32; i += shift) y = x ^ (y >>> shift);
    return y;
  }

  /** The inverse of an odd number modulo 2^32. */
  static int inverse(int odd) {
    int x = odd;
    for (int i = 0; i < 5; i++) x *= 2 - odd * x;
    return x;
  }

  /** The 4 bytes that murmur3_32 with this seed hashes to `hash`: one block can be inverted. */
  static byte[] keyOf(int hash, int seed) {
    int h = unshift(hash, 16) * inverse(0xc2b2ae35);
    h = unshift(unshift(h, 13) * inverse(0x85ebca6b), 16) ^ 4;
    h = Integer.rotateRight((h - 0xe6546b64) * inverse(5), 13) ^ seed;
    h = Integer.rotateRight(h * inverse(0x1b873593), 15) * inverse(0xcc9e2d51);
    return bytesOf(h, 4);
  }

  /** A key on which the textbook throws: its first hash is -2^31. */
  static void tryOverflow(int seed1, int seed2, int n, double p, Facts facts) {
    byte[] key = keyOf(Integer.MIN_VALUE, seed1);
    if (Hashing.murmur3_32_fixed(seed1).hashBytes(key).asInt() != Integer.MIN_VALUE)
      throw new IllegalStateException("the hash was not run back");
    JavaDouble filter = new JavaDouble(n, p, seed1, seed2);
    try {
      new BitSet().set(Math.abs(Integer.MIN_VALUE) % filter.m);
      if ((1L << 31) % filter.m != 0) throw new IllegalStateException("BitSet does not throw");
    } catch (IndexOutOfBoundsException e) {
      // as in the textbook
    }
    facts.line(
        "case overflow n=" + n + " p=" + Facts.hex64(Double.doubleToRawLongBits(p)) + " seeds="
            + seed1 + "," + seed2 + " key=" + Facts.hex(key, 0, 4));
    facts.line("put " + filter.put(key) + " " + filter.put(key) + " " + filter.mightContain(key));
    facts.line("set=" + filter.bits.cardinality());
    // The answers for these keys show which bits are set.
    BitSet answers = new BitSet();
    for (int i = 0; i < 4000; i++) answers.set(i, filter.mightContain(bytesOf(i, 4)));
    facts.answers("answers", answers, 4000);
  }

  /**
   * The textbook's cast saturates if m exceeds an int. Such a filter is useless: ours refuses it.
   */
  static boolean saturates(int n, double p) {
    return -n * Math.log(p) / (Math.log(2) * Math.log(2)) >= 0x1p31;
  }

  static void plan(int n, double p, Facts facts) {
    facts.line("case plan n=" + n + " p=" + Facts.hex64(Double.doubleToRawLongBits(p)));
    JavaDouble filter = new JavaDouble(n, p, 0, 1);
    if (saturates(n, p)) facts.line("too large");
    else facts.line(filter.m == 0 ? "no bits" : "m=" + filter.m + " k=" + filter.k);
  }

  static void tryPlan(long seed, int number, Facts facts) {
    SplitMix rng = SplitMix.of(seed, number);
    int shift = rng.below(28);
    int n = (int) Math.min(Integer.MAX_VALUE, 1L + (rng.below(1L << 31) >>> shift));
    double unit = rng.unit();
    plan(n, unit * Double.parseDouble("1e-" + rng.below(40)), facts);
  }

  public static void main(String[] args) {
    long seed = Long.parseUnsignedLong(args[0]);
    try (Facts facts = new Facts(args[1])) {
      for (int number = 0; number < CASES; number++) tryCase(seed, number, facts);
      for (int i = 0; i < 40; i++) tryOverflow(31 * i - 600, 1000003 * i, 1 + i % 7, 0.3, facts);
      for (int i = 0; i < 3000; i++) tryPlan(seed, 1000000 + i, facts);
      for (int n = 1488522150; n < 1488522250; n++) plan(n, 0.5, facts); // m up to 2^31
    }
    System.out.println(allOverflows + " random indexes were 2^31");
  }
}
