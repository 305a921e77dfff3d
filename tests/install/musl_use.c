/* musl_use.c LIBRARY MODULE: opens both as a plugin is opened, and has threads claim keys. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include <lfbloom/filter.h>

enum { THREADS = 4, KEYS = 20000 };

static lfb_filter *filter;
static bool (*claim)(lfb_filter *, uint64_t);
static bool (*present)(const lfb_filter *, uint64_t);
static atomic_int claimed[KEYS];

static void *claim_all(void *unused)
{
  for (uint64_t key = 0; key < KEYS; key++)
    if (claim(filter, key))
      atomic_fetch_add(&claimed[key], 1);
  return unused;
}

/* The function of a library; the program ends without it. */
static void *named(void *library, const char *name)
{
  void *found = library == NULL ? NULL : dlsym(library, name);

  if (found == NULL)
    fprintf(stderr, "%s: %s\n", name, dlerror());
  return found;
}

/* How many keys no thread claimed; -1 if a key was claimed twice or is absent. */
static int not_claimed(void)
{
  int none = 0;

  for (uint64_t key = 0; key < KEYS; key++) {
    if (claimed[key] > 1 || !present(filter, key))
      return -1;
    none += claimed[key] == 0;
  }
  return none;
}

int main(int argc, char **argv)
{
  const lfb_config config = {.expected_insertions = KEYS, .fpp = 0.001};
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
  lfb_status (*create)(const lfb_config *, lfb_filter **);
  pthread_t threads[THREADS];

  *(void **)&create = named(library, "lfb_filter_create");
  *(void **)&claim = named(library, "lfb_filter_claim_u64");
  *(void **)&present = named(library, "lfb_filter_might_contain_u64");
  if (create == NULL || claim == NULL || present == NULL || create(&config, &filter) != LFB_OK)
    return 1;
  for (int t = 0; t < THREADS; t++)
    if (pthread_create(&threads[t], NULL, claim_all, NULL) != 0)
      return 1;
  for (int t = 0; t < THREADS; t++)
    pthread_join(threads[t], NULL);
  const int none = not_claimed();
  printf("%d of %d keys were false positives\n", none, KEYS);
  if (named(dlopen(argv[2], RTLD_NOW), "RedisModule_OnLoad") == NULL)
    return 1;
  return none < 0 || none > KEYS / 100;
}
