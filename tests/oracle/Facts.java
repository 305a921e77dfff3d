package oracle;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;

/** facts.h in Java: one source of numbers, and one text that both sides write. */
public final class Facts implements AutoCloseable {
  private static final String DIGITS = "0123456789abcdef";
  private final PrintWriter out;

  public Facts(String path) {
    try {
      out = new PrintWriter(path, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void line(String text) {
    out.print(text + "\n");
  }

  public void answers(String name, BitSet answers, int count) {
    for (int from = 0; from < count; from += 512) {
      StringBuilder text = new StringBuilder();
      for (int i = from; i < from + 512 && i < count; i += 4) {
        int digit = 0;
        for (int j = i; j < i + 4; j++) digit = 2 * digit + (j < count && answers.get(j) ? 1 : 0);
        text.append(DIGITS.charAt(digit));
      }
      line(name + "@" + from + " " + text);
    }
  }

  public void bytes(String name, byte[] bytes) {
    line(name + " size " + bytes.length);
    boolean few = bytes.length <= 512;
    for (int from = 0; from < bytes.length; from += 4096) {
      int to = Math.min(from + 4096, bytes.length);
      line(name + "@" + from + " " + (few ? hex(bytes, from, to) : hex64(fnv64(bytes, from, to))));
    }
  }

  /** Throws if the disk was full, so that a cut file is not taken for a short test. */
  @Override
  public void close() {
    out.close();
    if (out.checkError()) throw new IllegalStateException("the facts could not be written");
  }

  public static String hex(byte[] bytes, int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++)
      text.append(DIGITS.charAt((bytes[i] >> 4) & 15)).append(DIGITS.charAt(bytes[i] & 15));
    return text.toString();
  }

  public static String hex64(long value) {
    String text = Long.toHexString(value);
    return "0".repeat(16 - text.length()) + text;
  }

  public static long fnv64(byte[] bytes, int from, int to) {
    long hash = 0xcbf29ce484222325L;
    for (int i = from; i < to; i++) hash = (hash ^ (bytes[i] & 0xff)) * 0x100000001b3L;
    return hash;
  }

  /** SplitMix64, as in facts.h. */
  public static final class SplitMix {
    private long state;

    public SplitMix(long seed) {
      state = seed;
    }

    public static SplitMix of(long seed, long index) {
      return new SplitMix(new SplitMix(seed ^ (index * 0xd1342543de82ef95L)).next());
    }

    public long next() {
      long z = (state += 0x9e3779b97f4a7c15L);
      z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
      z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
      return z ^ (z >>> 31);
    }

    public int below(long bound) {
      return (int) ((next() >>> 33) % bound);
    }

    public double unit() {
      return (double) (next() >>> 11) / 9007199254740992.0;
    }
  }
}
