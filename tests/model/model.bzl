"""Model checks: the library's own code under Relacy, and what has to be found there."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("@rules_shell//shell:sh_test.bzl", "sh_test")

# Not the project's warnings: Relacy's headers are of 2013, and the library's C is read as C++.
COPTS = ["-DLFB_MODEL", "-O2", "-fpermissive", "-w", "-Iatomic/include", "-Ibloom/include", "-ffunction-sections"]

# What a source has beside what the model calls is left out, with what that would need.
LINKOPTS = ["-Wl,--gc-sections"]

def _binary(name, model, copts, deps = [], srcs = []):
    cc_binary(
        name = name,
        testonly = True,
        srcs = [model + ".cc"] + srcs,
        copts = COPTS + copts,
        linkopts = LINKOPTS,
        tags = ["manual"],
        deps = [":library"] + deps,
    )

def _must_find(binary, scenario):
    sh_test(
        name = binary + "_is_found",
        size = "small",
        srcs = ["must_find.sh"],
        args = ["$(location %s)" % binary, scenario],
        data = [binary],
        tags = ["notsan"],
    )

def model(name, bound, plants, mutated = None, mutants = {}):
    """A model, and one test for each planted bug and each weakened order that it finds.

    Args:
      name: of the test, and of its source without .cc.
      bound: on the switches of threads that no thread asked for.
      plants: planted bug (tools/library.bzl) -> the scenario that shows it.
      mutated: the source that mutants change: the model includes it by LFB_MODEL_MUTATED.
      mutants: name -> (what sed changes of it, the scenario that shows it).
    """
    cc_test(
        name = name,
        size = "medium",
        srcs = [name + ".cc"],
        args = ["--bound=%d" % bound],
        copts = COPTS,
        linkopts = LINKOPTS,
        tags = ["notsan"],
        deps = [":library"],
    )
    for plant, scenario in plants.items():
        binary = "%s_%s" % (name, plant)
        _binary(binary, name, ["-DLFB_PLANT_" + plant.upper()])
        _must_find(binary, scenario)
    for mutant, (change, scenario) in mutants.items():
        binary = "%s_%s" % (name, mutant)
        changed = binary + "_mutated.h"
        native.genrule(
            name = binary + "_source",
            srcs = [mutated],
            outs = [changed],
            cmd = "sed '%s' $< > $@ && ! cmp -s $< $@" % change.replace("$", "$$"),
        )
        _binary(binary, name, ["-DLFB_MODEL_MUTATED=<tests/model/%s>" % changed, "-I$(GENDIR)"], srcs = [changed])
        _must_find(binary, scenario)
