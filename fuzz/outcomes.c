/* outcomes.c - see outcomes.h. */
#include "fuzz/outcomes.h"

#include <stdlib.h>
#include <string.h>

/* The key of tests/golden/native-v1-keyed.lfb. */
static const uint8_t golden_key[16] = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
                                       0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf};

lfb_read_limits fuzz_limits_of(const fuzz_input *input)
{
  return (lfb_read_limits){.max_bytes = input->max_bytes,
                           .key = input->with_key ? golden_key : NULL,
                           .open_damaged = input->open_damaged};
}

fuzz_outcome fuzz_outcome_of(const fuzz_reader *reader, const fuzz_way *way,
                             const fuzz_input *input)
{
  static char unwritten; /* its address marks an output that was not written */
  lfb_any made = {LFB_KIND_NONE, {&unwritten}};
  fuzz_outcome seen = {.made = NULL};

  memset(&seen.damage, 0xee, sizeof seen.damage);
  lfb_read_limits limits = fuzz_limits_of(input);
  limits.damage = input->wants_damage ? &seen.damage : NULL;
  seen.status = way->read(reader->kind->id, input, &limits, &made, &seen.taken);
  fuzz_must((seen.status == LFB_OK) == (made.filter != &unwritten) &&
                made.kind == (seen.status == LFB_OK ? reader->kind->id : LFB_KIND_NONE),
            "an output is written on success, and then only");
  if (seen.status == LFB_OK)
    seen.made = made.filter;
  if (!input->wants_damage)
    memset(&seen.damage, 0, sizeof seen.damage);
  return seen;
}

fuzz_outcome fuzz_outcome_again(const fuzz_reader *reader, fuzz_bytes bytes, bool open_damaged)
{
  const fuzz_input input = {
      .file = bytes, .open_damaged = open_damaged, .with_key = true, .wants_damage = true};
  return fuzz_outcome_of(reader, fuzz_ways, &input);
}

static uint64_t check_extents(const lfb_damage *damage, size_t file_size)
{
  const lfb_extent none = {0, 0};
  uint64_t end = 0, bytes = 0;

  for (uint64_t i = 0; i < LFB_DAMAGE_LISTED; i++) {
    const lfb_extent *part = &damage->first[i];
    if (i >= damage->count) {
      fuzz_must(memcmp(part, &none, sizeof none) == 0, "no part is listed that is not counted");
      continue;
    }
    fuzz_must(part->size > 0 && part->offset >= end && part->offset <= file_size &&
                  part->size <= file_size - part->offset,
              "damaged parts lie in the file, in order");
    end = part->offset + part->size;
    bytes += part->size;
  }
  return bytes;
}

void fuzz_outcome_check_damage(const fuzz_reader *reader, const fuzz_input *input,
                               const fuzz_outcome *seen)
{
  const lfb_damage *damage = &seen->damage;
  const uint64_t listed = check_extents(damage, input->file.size);

  fuzz_must(damage->count <= LFB_DAMAGE_LISTED ? damage->bytes == listed : damage->bytes > listed,
            "the damaged bytes are those of the parts");
  fuzz_must(damage->checked_bytes <= input->file.size && damage->bytes <= damage->checked_bytes,
            "what is damaged was compared, and is there");
  if (reader->fixed == 0)
    fuzz_must(damage->checked_bytes == 0 && damage->bits_missing == 0,
              "where there are no checksums, nothing is compared");
  else if (seen->status == LFB_OK && input->wants_damage)
    fuzz_must(damage->checked_bytes == seen->taken || input->file.size != seen->taken,
              "a whole file is compared as a whole");
  if (reader->fixed > 0 && input->wants_damage && !input->open_damaged)
    fuzz_must((damage->count > 0) == (seen->status == LFB_ERROR_BAD_CHECKSUM),
              "damage and the status agree");
}

void fuzz_outcome_check_refused(const fuzz_reader *reader, const fuzz_outcome *seen)
{
  for (const lfb_status *at = reader->refusals; *at != LFB_OK; at++)
    if (*at == seen->status)
      return;
  fuzz_must(false, "it is refused for a reason that is in the table");
}

void fuzz_outcome_check_same(const fuzz_way *way, const fuzz_input *input,
                             const fuzz_outcome *first, const fuzz_outcome *seen)
{
  const bool left = first->status == LFB_OK && first->taken < input->file.size;

  fuzz_must(seen->status == (way->takes_all && left ? LFB_ERROR_TRAILING_BYTES : first->status),
            "all ways to read agree");
  fuzz_must(memcmp(&seen->damage, &first->damage, sizeof seen->damage) == 0,
            "all ways to read find the same damage");
}

lfb_any fuzz_outcome_any(const fuzz_reader *reader, const void *made)
{
  return (lfb_any){reader->kind->id, {(void *)(uintptr_t)made}};
}

fuzz_bytes fuzz_outcome_written(const fuzz_reader *reader, const void *made)
{
  fuzz_gathered all = {{NULL, 0}, 0};

  const lfb_status status =
      reader->kind->id == LFB_KIND_PLAIN
          ? lfb_filter_write(made, reader->form, fuzz_bytes_gather, &all)
          : lfb_any_write(fuzz_outcome_any(reader, made), fuzz_bytes_gather, &all);
  fuzz_must(status == LFB_OK, "it can be written");
  return fuzz_bytes_gathered(&all);
}

void fuzz_outcome_check_written(const fuzz_reader *reader, const void *made,
                                const fuzz_bytes *other, const char *what)
{
  const fuzz_bytes bytes = fuzz_outcome_written(reader, made);

  fuzz_must(reader->same(other, &bytes), what);
  free(bytes.at);
}

void *fuzz_outcome_reread(const fuzz_reader *reader, const fuzz_bytes *written)
{
  const fuzz_outcome again = fuzz_outcome_again(reader, *written, false);

  fuzz_must(again.status == LFB_OK && again.taken == written->size,
            "what was written reads again");
  fuzz_must(again.damage.count == 0 && again.damage.bits_missing == 0, "and is whole");
  fuzz_outcome_check_written(reader, again.made, written, "and is written alike");
  return again.made;
}

void *fuzz_outcome_damaged(const fuzz_reader *reader, const fuzz_bytes *damaged)
{
  if (reader->fixed > 0) {
    const fuzz_outcome refused = fuzz_outcome_again(reader, *damaged, false);
    fuzz_must(refused.status == LFB_ERROR_BAD_CHECKSUM && refused.damage.count > 0,
              "damage is found");
  }
  const fuzz_outcome open = fuzz_outcome_again(reader, *damaged, true);
  fuzz_must(open.status == LFB_OK, "damaged words open");
  return open.made;
}
