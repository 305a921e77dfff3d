import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The Java side: puts the lines of standard input into a filter, and writes it to a file.
 *
 * <p>Arguments: the funnel (string, long or chars) and the file.
 */
public final class Write {
  private static <T> void write(
      List<String> lines, Funnel<? super T> funnel, Function<String, T> key, String file)
      throws IOException {
    BloomFilter<T> filter = BloomFilter.create(funnel, lines.size(), 0.01);
    lines.forEach(line -> filter.put(key.apply(line)));
    try (OutputStream out = new FileOutputStream(file)) {
      filter.writeTo(out);
    }
  }

  public static void main(String[] args) throws IOException {
    List<String> lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
            .lines()
            .collect(Collectors.toList());
    switch (args[0]) {
      case "string":
        write(lines, Funnels.stringFunnel(StandardCharsets.UTF_8), line -> line, args[1]);
        break;
      case "long":
        write(lines, Funnels.longFunnel(), Long::valueOf, args[1]);
        break;
      case "chars":
        write(lines, Funnels.unencodedCharsFunnel(), line -> line, args[1]);
        break;
      default:
        throw new IllegalArgumentException(args[0]);
    }
  }
}
