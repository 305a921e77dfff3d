package com.google.common.hash; // Guava's strategies are private to its package

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Guava's side of tests/files/golden_rows.h: Guava 31.1 creates the same bytes as a golden file. A
 * file with the later formula of k is only read, and does not change when its keys are put again.
 *
 * <p>Arguments: file, mitz32 or mitz64, n, p, keys, and made (this Guava creates it, too) or read.
 */
public final class GuavaGolden {
  private static void put(BloomFilter<byte[]> filter, int keys) {
    for (int i = 0; i < keys; i++) {
      filter.put(("key-" + i).getBytes(StandardCharsets.UTF_8));
      filter.put(
          ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(i * 1000003L).array());
    }
  }

  private static void expect(BloomFilter<byte[]> filter, byte[] golden, String what)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    filter.writeTo(bytes);
    if (!Arrays.equals(bytes.toByteArray(), golden)) {
      throw new AssertionError(what + " differs");
    }
  }

  public static void main(String[] args) throws IOException {
    byte[] golden = Files.readAllBytes(Path.of(args[0]));
    int keys = Integer.parseInt(args[4]);
    BloomFilter<byte[]> read =
        BloomFilter.readFrom(new ByteArrayInputStream(golden), Funnels.byteArrayFunnel());
    expect(read, golden, "what was read from " + args[0]);
    put(read, keys);
    expect(read, golden, args[0] + " with its keys put again");
    if (args[5].equals("made")) {
      BloomFilter<byte[]> made =
          BloomFilter.create(
              Funnels.byteArrayFunnel(),
              Long.parseLong(args[2]),
              Double.parseDouble(args[3]),
              args[1].equals("mitz32")
                  ? BloomFilterStrategies.MURMUR128_MITZ_32
                  : BloomFilterStrategies.MURMUR128_MITZ_64);
      put(made, keys);
      expect(made, golden, "what Guava makes instead of " + args[0]);
    }
  }
}
