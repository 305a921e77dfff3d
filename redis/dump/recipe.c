/* recipe.c - checks the hash of a recipe. */
#include "redis/dump/recipe.h"

#include <string.h>

bool lfb_recipe_has_hash(const lfb_recipe *recipe)
{
  static const uint8_t none[sizeof recipe->key];
  const bool keyed = memcmp(recipe->key, none, sizeof none) != 0;

  switch (recipe->hash) {
  case LFB_HASH_XXH3: return recipe->seed != 0 && !keyed && !recipe->keep_key;
  case LFB_HASH_SIPHASH13:
  case LFB_HASH_AES: return recipe->seed == 0 && keyed && recipe->keep_key;
  default: return false;
  }
}
