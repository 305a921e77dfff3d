package com.google.common.hash; // Guava's strategies are private to its package

import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Makes random calls of Guava, and writes each with its result as a line, for guava_replay.cc to
 * repeat. R and S are filters of one letter; P is the bits of a double; KEYS are numbers of keys.
 *
 * <pre>
 * key KIND PARTS       the next key of a kind: what its funnel puts, such as "i5,l7"
 * case NAME KIND       from here on, keys are of this kind; "count": key i is the long i
 * new R STRATEGY N P   ok, or why not
 * put|ask R KEYS       the answers
 * is R | form R        figures | header and digest of what it writes
 * copy|read R S        R is a copy of S, or what is read from what S writes
 * all R S              putAll: ok, or why not
 * bytes R HEX          reads R: the number of bytes left; "refused" and why, if one thing is wrong
 * plan N P             the figures that `new` gives, by both formulas of k
 * </pre>
 *
 * All results are Guava's own, except the figures of filters that are too large to create and the
 * formula of k after 31.1.
 */
public final class GuavaOracle {
  static final int SMALL_CASES = 2400, CASES = SMALL_CASES + 6, READS = 2000, PLANS = 6000;
  static final int KEYS = 4000; // of each kind
  static final String[] KINDS = {
    "bytes", "int", "long", "chars", "utf8", "ints", "texts", "nested", "record", "blobs", "count"
  };
  static final int COUNT = 10;

  static SplittableRandom random;
  static PrintStream out;
  static int kind;
  static final Object[][] keys = new Object[COUNT][KEYS];
  static final Map<Character, BloomFilter<Object>> filters = new HashMap<>();

  static boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  // ---- keys ----

  record Entry(
      int id, long when, String name, String note, byte[] raw, boolean flag, short port,
      float ratio, double weight) {}

  enum EntryFunnel implements Funnel<Entry> {
    INSTANCE;

    @Override
    public void funnel(Entry entry, PrimitiveSink into) {
      into.putInt(entry.id).putLong(entry.when).putUnencodedChars(entry.name)
          .putString(entry.note, StandardCharsets.UTF_8).putBytes(entry.raw)
          .putBoolean(entry.flag).putShort(entry.port).putFloat(entry.ratio)
          .putDouble(entry.weight);
    }
  }

  static final Funnel<?>[] FUNNELS = {
    Funnels.byteArrayFunnel(),
    Funnels.integerFunnel(),
    Funnels.longFunnel(),
    Funnels.unencodedCharsFunnel(),
    Funnels.stringFunnel(StandardCharsets.UTF_8),
    Funnels.sequentialFunnel(Funnels.integerFunnel()),
    Funnels.sequentialFunnel(Funnels.stringFunnel(StandardCharsets.UTF_8)),
    Funnels.sequentialFunnel(Funnels.sequentialFunnel(Funnels.integerFunnel())),
    EntryFunnel.INSTANCE,
    Funnels.sequentialFunnel(Funnels.byteArrayFunnel()),
    Funnels.longFunnel(),
  };

  @SuppressWarnings("unchecked")
  static Funnel<Object> funnel() {
    return (Funnel<Object>) FUNNELS[kind];
  }

  // Text of one style: ASCII; any code units, with surrogates by chance; mostly surrogates, paired
  // or not; only pairs.
  static String drawText() {
    char[] text = new char[random.nextInt(oneIn(16) ? 700 : 24)];
    int style = random.nextInt(4);
    for (int i = 0; i < text.length; i++) {
      int any = random.nextInt(65536);
      text[i] = (char) switch (style) {
        case 0 -> any % 128;
        case 1 -> any;
        case 2 -> any % 9 != 0 ? 0xd800 + any % 2048 : any;
        default -> (i % 2 != 0 ? 0xdc00 : 0xd800) + any % 1024;
      };
    }
    return new String(text);
  }

  static List<Object> several(int of, int below) {
    return Stream.generate(() -> draw(of)).limit(random.nextInt(below)).toList();
  }

  static Object draw(int kind) {
    boolean small = random.nextBoolean();
    return switch (kind) {
      case 0 -> {
        byte[] bytes = new byte[random.nextInt(oneIn(16) ? 3000 : 40)];
        random.nextBytes(bytes);
        yield bytes;
      }
      case 1 -> small ? random.nextInt(-1000, 1001) : random.nextInt();
      case 2 -> small ? random.nextLong(-1000, 1001) : random.nextLong();
      case 3, 4 -> drawText();
      case 5 -> several(1, 12);
      case 6 -> several(4, 5);
      case 7 -> several(5, 5);
      case 8 -> new Entry((Integer) draw(1), (Long) draw(2), drawText(), drawText(),
          (byte[]) draw(0), random.nextBoolean(), (short) random.nextInt(),
          random.nextInt(-1000, 1000) / 16.0F, random.nextDouble() - 0.5);
      default -> several(0, 5);
    };
  }

  static String units(char type, String text) {
    return type + text.chars().mapToObj(unit -> String.format("%04x", unit))
        .collect(Collectors.joining());
  }

  /** What the funnel of a kind puts, as text. */
  static String parts(int kind, Object key) {
    if (key instanceof byte[] bytes) return "b" + HexFormat.of().formatHex(bytes);
    if (key instanceof Integer number) return "i" + number;
    if (key instanceof Long number) return "l" + number;
    if (key instanceof String text) return units(kind == 3 ? 'c' : 's', text);
    if (key instanceof List<?> list)
      return list.stream().map(one -> parts(kind, one)).filter(one -> !one.isEmpty())
          .collect(Collectors.joining(","));
    Entry entry = (Entry) key;
    return String.join(",", "i" + entry.id, "l" + entry.when, units('c', entry.name),
        units('s', entry.note), parts(0, entry.raw), entry.flag ? "b01" : "b00",
        units('c', "" + (char) entry.port), "i" + Float.floatToRawIntBits(entry.ratio),
        "l" + Double.doubleToRawLongBits(entry.weight));
  }

  static Object key(int index) {
    return kind == COUNT ? (Object) (long) index : keys[kind][index];
  }

  static String text(int[] indexes) {
    return Arrays.stream(indexes).mapToObj(Integer::toString).collect(Collectors.joining(" "));
  }

  // ---- results ----

  static String refusal(Throwable refused) {
    String all = refused + " " + refused.getCause();
    String[][] names = {
      {"must be > 0.0", "fpp-too-low"},
      {"must be < 1.0", "fpp-too-high"},
      {"numHashFunctions (0) must be > 0", "bad-probes"},
      {"Unable to deserialize.*data length is zero", "bad-word-count"},
      {"data length is zero", "no-bits"},
      {"must be <= 255", "too-many-probes"},
      {"Out of range", "too-many-bits"},
      {"itself", "same-filter"},
      {"number of hash functions", "probes-differ"},
      {"same size underlying", "bit-count-differs"},
      {"equal strategies", "strategy-differs"},
      {"ArrayIndexOutOfBounds", "bad-strategy"},
    };
    if (refused instanceof EOFException) return "truncated";
    for (String[] name : names)
      if (name[0].contains(".*") ? all.matches("(?s).*" + name[0] + ".*") : all.contains(name[0]))
        return name[1];
    return all;
  }

  static String bits(double value) {
    return String.format("%016x", Double.doubleToRawLongBits(value));
  }

  /** What a filter writes: the header, the number of bits set, and a digest of words not 0. */
  static final class Form extends OutputStream {
    final byte[] head = new byte[6];
    long at = -6, set, word, digest = 0xcbf29ce484222325L;

    static Form of(BloomFilter<?> filter) throws IOException {
      Form form = new Form();
      filter.writeTo(form);
      return form;
    }

    @Override
    public void write(int b) {
      if (at < 0) {
        head[(int) at++ + 6] = (byte) b;
        return;
      }
      set += Integer.bitCount(b & 0xff);
      word = word << 8 | (b & 0xff);
      if (++at % 8 != 0) return;
      if (word != 0) digest = ((digest ^ at) * 0x100000001b3L ^ word) * 0x100000001b3L;
      word = 0;
    }
  }

  /**
   * MITZ_32 reaches only the first 2^31 bits. Guava's own figures are over all bits, so too low. Ours
   * are over the bits that are reached, by Guava's formulas.
   */
  static String figures(BloomFilter<?> filter) throws IOException {
    Form form = Form.of(filter);
    int probes = form.head[1] & 0xff;
    String count;
    double fpp = filter.expectedFpp();
    if (form.head[0] == 0 && filter.bitSize() > 1L << 31) {
      double share = form.set / (double) (1L << 31);
      count = "" + Math.round(-Math.log1p(-share) * (1L << 31) / probes);
      fpp = Math.pow(share, probes);
    } else {
      try {
        count = "" + filter.approximateElementCount();
      } catch (ArithmeticException e) {
        count = "saturated";
      }
    }
    return "bits=" + filter.bitSize() + " probes=" + probes + " set=" + form.set + " count=" + count
        + " fpp=~" + bits(fpp);
  }

  // ---- calls ----

  static BloomFilter<Object> read(byte[] bytes) throws IOException {
    return BloomFilter.readFrom(new ByteArrayInputStream(bytes), funnel());
  }

  static byte[] written(BloomFilter<?> filter) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    filter.writeTo(bytes);
    return bytes.toByteArray();
  }

  static boolean create(char name, boolean mitz64, long n, double fpp) {
    String result = "ok";
    try {
      filters.put(name, BloomFilter.create(funnel(), n, fpp,
          mitz64 ? BloomFilterStrategies.MURMUR128_MITZ_64
              : BloomFilterStrategies.MURMUR128_MITZ_32));
    } catch (IllegalArgumentException e) {
      result = refusal(e);
    }
    out.println("new " + name + (mitz64 ? " mitz64 " : " mitz32 ") + n + " " + bits(fpp) + " = "
        + result);
    return result.equals("ok");
  }

  static void call(String verb, char name, int[] indexes) {
    BloomFilter<Object> filter = filters.get(name);
    StringBuilder answers = new StringBuilder();
    for (int index : indexes)
      answers.append((verb.equals("put") ? filter.put(key(index)) : filter.mightContain(key(index)))
          ? '1' : '0');
    out.println(verb + " " + name + " " + text(indexes) + " = " + answers);
  }

  static void is(char name) throws IOException {
    out.println("is " + name + " = " + figures(filters.get(name)));
  }

  static void form(char name) throws IOException {
    is(name);
    Form form = Form.of(filters.get(name));
    out.println("form " + name + " = " + HexFormat.of().formatHex(form.head) + " " + form.at
        + String.format(" %016x", form.digest));
  }

  static void copy(char to, char from) {
    filters.put(to, filters.get(from).copy());
    out.println("copy " + to + " " + from);
  }

  static void read(char to, char from) throws IOException {
    filters.put(to, read(written(filters.get(from))));
    out.println("read " + to + " " + from);
  }

  /** Ours ignores funnels: the filter of the case before is read with the funnel of this one. */
  static boolean all(char into, char from) throws IOException {
    BloomFilter<Object> other = filters.get(from);
    String result = "ok";
    try {
      filters.get(into).putAll(from == 'P' ? read(written(other)) : other);
    } catch (IllegalArgumentException e) {
      result = refusal(e);
    }
    out.println("all " + into + " " + from + " = " + result);
    return result.equals("ok");
  }

  // ---- cases ----

  static final double[] USUAL = {0.5, 0.3, 0.1, 0.03, 0.01, 0.001, 1e-4, 1e-6};
  static final double[] REFUSED = {
    0.0, -0.0, 1.0, -1.0, Double.NaN, 2.0, Math.nextDown(1.0), Double.MIN_VALUE,
    Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY
  };
  static final int[] N_BOUNDS = {4, 20, 20, 300, 300, 300, 2000, 6000};

  static double drawFpp() {
    int how = random.nextInt(8);
    if (oneIn(40)) return REFUSED[random.nextInt(REFUSED.length)];
    if (how == 0) return USUAL[random.nextInt(USUAL.length)];
    if (how <= 4) return random.nextDouble();
    return random.nextDouble() * Math.pow(10, -random.nextInt(how == 7 ? 80 : 20));
  }

  static int[] row(int first, int count) {
    return IntStream.range(first, first + count).toArray();
  }

  // Of the case before, so that put_all() succeeds or is refused for one difference.
  static boolean mitz64;
  static long n;
  static double fpp;

  static void drawCase(boolean large) {
    boolean similar = !large && oneIn(3);
    int change = similar ? random.nextInt(4) : -1;
    kind = large ? COUNT : random.nextInt(COUNT);
    mitz64 = similar ? mitz64 != (change == 0) : random.nextBoolean();
    if (change == 1) n += 1 + random.nextInt(40);
    if (change == 2) fpp *= 0.9;
    if (similar) return;
    n = large ? 50000 + random.nextInt(1000000)
        : random.nextInt(N_BOUNDS[random.nextInt(N_BOUNDS.length)]);
    fpp = large ? 0.01 + random.nextDouble() / 32 : drawFpp();
  }

  static void one(int number) throws IOException {
    boolean large = number >= SMALL_CASES;
    drawCase(large);
    int puts = large ? 60000 : oneIn(16) ? 700 : random.nextInt(2 * (int) Math.min(n, 300) + 9);
    int first = large ? 0 : random.nextInt(1500);
    // Each a new key, or one of those before it.
    int[] order = IntStream.range(0, puts)
        .map(i -> first + (oneIn(8) ? random.nextInt(i + 1) : i)).toArray();
    int[] others = large ? row(1 << 20, 30000) : row(2200 + random.nextInt(400), puts / 2 + 1);
    int[] absent =
        large ? row(1 << 22, 40000) : row(3000 + random.nextInt(700), 8 + random.nextInt(200));
    out.println("case " + number + " " + KINDS[kind]);
    if (!create('A', mitz64, n, fpp)) {
      filters.remove('P');
      return;
    }
    is('A');
    call("put", 'A', order);
    form('A');
    call("ask", 'A', order);
    call("ask", 'A', absent);
    copy('B', 'A'); // later puts to the copy do not change the original
    call("put", 'B', row(others[0], 1));
    form('B');
    is('A');
    all('A', 'A');
    if (filters.containsKey('P')) {
      copy('B', 'A');
      if (all('B', 'P')) is('B');
    }
    create('C', mitz64, n, fpp);
    call("put", 'C', others);
    all('A', 'C');
    form('A');
    read('D', 'A');
    is('D');
    call("ask", 'D', order);
    call("put", 'D', absent);
    form('D');
    copy('P', 'A');
  }

  static final int[] BAD_WORDS = {0, -1, Integer.MIN_VALUE, -5};

  static void readDamaged(int number) throws IOException {
    int strategy = random.nextInt(oneIn(6) ? 256 : 2);
    int probes = oneIn(8) ? 0 : 1 + random.nextInt(255);
    int goodWords = 1 + random.nextInt(9);
    int words = oneIn(8) ? BAD_WORDS[random.nextInt(BAD_WORDS.length)] : goodWords;
    int fill = random.nextInt(9); // 0: no bits, 8: all bits
    byte[] form = ByteBuffer.allocate(6 + 8 * goodWords).put((byte) strategy).put((byte) probes)
        .putInt(words).array();
    for (int i = 48; i < 8 * form.length; i++)
      if (random.nextInt(8) < fill) form[i / 8] |= 1 << i % 8;
    int faults = (strategy > 1 ? 1 : 0) + (probes == 0 ? 1 : 0) + (words == goodWords ? 0 : 1);
    if (oneIn(5)) {
      form = Arrays.copyOf(form, random.nextInt(form.length));
      faults++;
    } else if (oneIn(3)) {
      form = Arrays.copyOf(form, form.length + random.nextInt(20));
    }
    out.println("case read " + number + " bytes");
    out.print("bytes A " + HexFormat.of().formatHex(form) + " = ");
    kind = 0;
    try {
      ByteArrayInputStream in = new ByteArrayInputStream(form);
      filters.put('A', BloomFilter.readFrom(in, funnel()));
      out.println("left " + in.available());
      form('A');
    } catch (IOException e) {
      out.println(faults == 1 ? "refused " + refusal(e) : "refused");
    }
  }

  /**
   * The figures of BloomFilter.create. A small filter, or one to be refused, is created. For others
   * Guava's two formulas and the rounding of LockFreeBitArray are used.
   */
  static String planned(long n, double fpp) throws IOException {
    if (fpp > 0.0 && fpp < 1.0) {
      long bits = BloomFilter.optimalNumOfBits(Math.max(n, 1), fpp);
      int probes = BloomFilter.optimalNumOfHashFunctions(Math.max(n, 1), bits);
      long words = bits / 64 + (bits % 64 == 0 ? 0 : 1);
      if (words > 1000 && words <= Integer.MAX_VALUE)
        return probes > 255 ? "too-many-probes" : "bits=" + 64 * words + " probes=" + probes;
    }
    try {
      BloomFilter<byte[]> filter = BloomFilter.create(
          Funnels.byteArrayFunnel(), n, fpp, BloomFilterStrategies.MURMUR128_MITZ_64);
      return "bits=" + filter.bitSize() + " probes=" + (Form.of(filter).head[1] & 0xff);
    } catch (IllegalArgumentException e) {
      return refusal(e);
    }
  }

  /** The same with Guava's formula of k after 31.1, which is not in the jar. */
  static String plannedNow(String planned, double fpp) {
    if (!planned.startsWith("bits=") && !planned.equals("too-many-probes")) return planned;
    int probes = Math.max(1, (int) Math.round(-Math.log(fpp) / Math.log(2)));
    return probes > 255 ? "too-many-probes" : planned.replaceAll("probes=.*", "probes=" + probes);
  }

  static void plan(int number) throws IOException {
    int size = random.nextInt(4);
    long n = switch (size) {
      case 0 -> random.nextInt(100);
      case 1 -> random.nextInt(1048576);
      default -> random.nextLong() >>> (size == 2 ? 1 + random.nextInt(40) : 1);
    };
    double fpp = drawFpp();
    String planned = planned(n, fpp);
    out.println("case plan " + number + " bytes");
    out.println("plan " + n + " " + bits(fpp) + " = " + planned + ", now "
        + plannedNow(planned, fpp));
  }

  static void cases() throws IOException {
    for (int of = 0; of < COUNT; of++)
      for (int i = 0; i < KEYS; i++) {
        keys[of][i] = draw(of);
        out.println("key " + KINDS[of] + " " + parts(of, keys[of][i]));
      }
    for (int i = 0; i < CASES; i++) one(i);
    for (int i = 0; i < READS; i++) readDamaged(i);
    for (int i = 0; i < PLANS; i++) plan(i);
  }

  /** Filters of 5,145,939,072 bits, which would show 32-bit arithmetic. */
  static void wide() throws IOException {
    kind = COUNT;
    for (boolean mitz64 : new boolean[] {false, true}) {
      filters.clear();
      out.println("case wide count");
      create('W', mitz64, 1L << 29, 0.01);
      call("put", 'W', IntStream.range(0, 50000).map(i -> (int) (i * 7919L % 37500)).toArray());
      call("ask", 'W', row(0, 100000));
      form('W');
    }
  }

  /**
   * Guava makes the same bytes as a golden file of tests/files/golden_rows.h. A file with the later
   * formula of k is only read, and does not change when its keys are put again.
   */
  static void golden(String path, boolean mitz64, long n, int puts, boolean made)
      throws IOException {
    byte[] golden = Files.readAllBytes(Path.of(path));
    BloomFilter<Object> filter = read(golden);
    BloomFilter<Object> other = made ? BloomFilter.create(funnel(), n, 0.01,
        BloomFilterStrategies.values()[mitz64 ? 1 : 0]) : filter;
    for (int i = 0; i < puts; i++)
      for (BloomFilter<Object> each : List.of(filter, other)) {
        each.put(("key-" + i).getBytes(StandardCharsets.UTF_8));
        each.put(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(i * 1000003L)
            .array());
      }
    if (!Arrays.equals(golden, written(filter)) || !Arrays.equals(golden, written(other)))
      throw new AssertionError(path + " differs");
  }

  /** cases|wide SEED FILE, or golden FILE mitz32|mitz64 N PUTS made|read. */
  public static void main(String[] args) throws IOException {
    if (args[0].equals("golden")) {
      golden(args[1], args[2].equals("mitz64"), Long.parseLong(args[3]), Integer.parseInt(args[4]),
          args[5].equals("made"));
      return;
    }
    random = new SplittableRandom(Long.parseUnsignedLong(args[1]));
    out = new PrintStream(new BufferedOutputStream(new FileOutputStream(args[2])));
    if (args[0].equals("wide")) wide();
    else cases();
    out.close();
    if (out.checkError()) throw new IllegalStateException("the calls could not be written");
  }
}
