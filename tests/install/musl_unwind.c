/* musl_unwind.c - where an object has its tables: gcc's library to unwind by asks glibc for it. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct found { /* glibc's struct dl_find_object */
  unsigned long long flags;
  void *start, *end, *map, *tables;
  unsigned long long reserved[7];
};
struct search {
  uintptr_t address;
  struct found *found;
};

static int search_object(struct dl_phdr_info *object, size_t size, void *argument)
{
  const struct search *search = argument;
  uintptr_t tables = 0;
  int inside = 0;

  (void)size;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + part->p_vaddr;
    inside |= part->p_type == PT_LOAD && search->address - start < part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME)
      tables = start;
  }
  search->found->tables = (void *)tables;
  return inside && tables != 0;
}

int _dl_find_object(void *address, struct found *found);
int _dl_find_object(void *address, struct found *found)
{
  struct search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(search_object, &search) != 0 ? 0 : -1;
}
