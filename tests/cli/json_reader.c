/* json_reader.c - prints a member of the JSON object on standard input, as jansson reads it. */
#include <jansson.h>
#include <stdio.h>

int main(int argc, char **argv)
{
  json_error_t error;
  json_t *object = argc == 2 ? json_loadf(stdin, 0, &error) : NULL;
  const json_t *member = json_object_get(object, argc == 2 ? argv[1] : "");

  if (json_is_string(member))
    (void)puts(json_string_value(member));
  else if (json_is_integer(member))
    printf("%" JSON_INTEGER_FORMAT "\n", json_integer_value(member));
  else
    (void)fprintf(stderr, "no such member: %s\n", object == NULL ? error.text : "");
  const int status = member == NULL;
  json_decref(object);
  return status;
}
