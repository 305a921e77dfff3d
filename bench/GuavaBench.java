import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * Guava's side of the comparison: put_new and query_present, on the same filters (read from the
 * files that {@code bench --scenes=DIRECTORY} left there), with the same keys as bench/keys.c makes.
 *
 * <p>Usage: GuavaBench DIRECTORY numbers|uuids [HASTE]. Prints {@code OPERATION,SIZE,NS} lines;
 * takes one HASTE-th of the usual time. In Guava's favour, a process has one kind of key, so that
 * the JIT compiler sees only one funnel; keys are boxed beforehand; filters are on huge pages if
 * the JVM's flags ask for them.
 */
final class GuavaBench<T> {
  private static final double FPP = 0.01;
  private static long warmUpNanos = 2_000_000_000L;
  private static long measureNanos = 300_000_000L;

  /** A filter file, {@code guava-mitz64-SIZE-N-BEFORE-FPP}: of N keys, BEFORE are present. */
  private record Scene(Path file, long size, long n, long before) {
    static Scene of(Path file) {
      String[] part = file.getFileName().toString().split("-");
      return new Scene(
          file, Long.parseLong(part[2]), Long.parseLong(part[3]), Long.parseLong(part[4]));
    }
  }

  private final Funnel<T> funnel;
  private final LongFunction<T> keyAt;

  private GuavaBench(Funnel<T> funnel, LongFunction<T> keyAt) {
    this.funnel = funnel;
    this.keyAt = keyAt;
  }

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    if (args.length > 2) {
      warmUpNanos /= Long.parseLong(args[2]);
      measureNanos /= Long.parseLong(args[2]);
    }
    if (args[1].equals("numbers")) {
      new GuavaBench<Long>(Funnels.longFunnel(), GuavaBench::number).run(directory);
    } else {
      new GuavaBench<byte[]>(Funnels.byteArrayFunnel(), GuavaBench::uuid).run(directory);
    }
  }

  /** Key i of the stream of numbers: splitmix64. */
  private static long number(long i) {
    long z = (i + 1) * 0x9e3779b97f4a7c15L;
    z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  private static byte[] uuid(long i) {
    long high = number(2 * i) & ~0xf000L | 0x4000L;
    long low = number(2 * i + 1) >>> 2 | 1L << 63;
    return new java.util.UUID(high, low).toString().getBytes(StandardCharsets.US_ASCII);
  }

  private void run(Path directory) throws IOException {
    Map<Long, List<Scene>> bySize = new TreeMap<>();
    try (var files = Files.list(directory)) {
      files
          .filter(file -> file.getFileName().toString().matches("guava-mitz64-.*-" + FPP))
          .map(Scene::of)
          .filter(scene -> scene.size() <= 256 << 20)
          .forEach(
              scene -> bySize.computeIfAbsent(scene.size(), size -> new ArrayList<>()).add(scene));
    }
    boolean warm = false;
    for (List<Scene> scenes : bySize.values()) {
      scenes.sort(Comparator.comparing(Scene::before));
      if (!warm) {
        warmUp(scenes);
        warm = true;
      }
      measure(scenes);
    }
  }

  /** Warms up the JIT compiler: some hundred passes over the smallest filter, both operations. */
  private void warmUp(List<Scene> scenes) throws IOException {
    for (long start = System.nanoTime(); System.nanoTime() - start < warmUpNanos; ) {
      putNew(scenes);
      Full full = new Full(scenes);
      for (int i = 0; i < 20; i++) {
        full.ask();
      }
    }
  }

  private void measure(List<Scene> scenes) throws IOException {
    long nanos = 0;
    long count = 0;
    while (nanos < measureNanos) {
      nanos += putNew(scenes);
      count += (long) sample(scenes) * fills(scenes).size();
    }
    print("put_new", scenes, nanos, count);
    new Full(scenes).measure();
  }

  private static void print(String operation, List<Scene> scenes, long nanos, long count) {
    long kib = scenes.get(0).size() >> 10;
    String size = kib < 1024 ? kib + "KiB" : (kib >> 10) + "MiB";
    System.out.printf("%s,%s,%.2f%n", operation, size, (double) nanos / count);
  }

  private static Scene last(List<Scene> scenes) {
    return scenes.get(scenes.size() - 1);
  }

  private static int sample(List<Scene> scenes) {
    return (int) (last(scenes).n() - last(scenes).before());
  }

  /** The points at which filling is timed: all except the last, unless it is the only one. */
  private static List<Scene> fills(List<Scene> scenes) {
    return scenes.size() == 1 ? scenes : scenes.subList(0, scenes.size() - 1);
  }

  private Object[] keys(long first, int count) {
    Object[] keys = new Object[count];
    for (int i = 0; i < count; i++) {
      keys[i] = keyAt.apply(first + i);
    }
    return keys;
  }

  private BloomFilter<T> read(Scene scene) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(scene.file()), 1 << 16)) {
      BloomFilter<T> filter = BloomFilter.readFrom(in, funnel);
      if (!filter.isCompatible(BloomFilter.create(funnel, scene.n(), FPP))) {
        throw new IllegalStateException(scene.file() + " is incompatible with Guava's filter");
      }
      return filter;
    }
  }

  /** Returns the nanoseconds to put one sample, at each point of the filling. */
  private long putNew(List<Scene> scenes) throws IOException {
    long nanos = 0;
    for (Scene scene : fills(scenes)) {
      Object[] keys = keys(scene.before(), sample(scenes));
      BloomFilter<T> filter = read(scene);
      long start = System.nanoTime();
      int changed = putAll(filter, keys);
      nanos += System.nanoTime() - start;
      check((double) changed / keys.length, 0.98, 1);
    }
    return nanos;
  }

  @SuppressWarnings("unchecked")
  private int putAll(BloomFilter<T> filter, Object[] keys) {
    int changed = 0;
    for (Object key : keys) {
      changed += filter.put((T) key) ? 1 : 0;
    }
    return changed;
  }

  private static void check(double share, double least, double most) {
    if (share < least || share > most) {
      throw new IllegalStateException("wrong answers: a share of " + share);
    }
  }

  /** Returns a filter with its n keys, the last of them a sample of this kind. */
  private final class Full {
    final List<Scene> scenes;
    final BloomFilter<T> filter;
    final Object[] present;

    Full(List<Scene> scenes) throws IOException {
      this.scenes = scenes;
      this.filter = read(last(scenes));
      this.present = keys(last(scenes).before(), sample(scenes));
      putAll(filter, present);
    }

    @SuppressWarnings("unchecked")
    void ask() {
      int found = 0;
      for (Object key : present) {
        found += filter.mightContain((T) key) ? 1 : 0;
      }
      check((double) found / present.length, 1, 1);
    }

    void measure() {
      ask();
      long nanos = 0;
      long asked = 0;
      while (nanos < measureNanos) {
        long start = System.nanoTime();
        ask();
        nanos += System.nanoTime() - start;
        asked += present.length;
      }
      print("query_present", scenes, nanos, asked);
    }
  }
}
