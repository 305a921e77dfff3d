"""Model checks: the library's own code under Relacy, and what has to be found there."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("@rules_shell//shell:sh_test.bzl", "sh_test")
load("//tools:plants.bzl", "PLANTS")

# Not the project's warnings: Relacy's headers are of 2013, and the library's C is compiled as
# C++.
COPTS = ["-DLFB_MODEL", "-O1", "-fpermissive", "-w", "-ffunction-sections"]

# The lfbloom/c11.h of :c11_<variant>, which spells the model's atomics, precedes the library's.
def _includes(variant):
    return ["-I$(GENDIR)/tests/model/" + variant, "-I$(GENDIR)", "-Iinclude"]

# Functions that the model does not call are left out, with everything that they would need.
LINKOPTS = ["-Wl,--gc-sections"]

def c11(variant, source):
    """<variant>/lfbloom/c11.h, as models include it."""
    native.genrule(
        name = "c11_" + variant,
        testonly = True,
        srcs = [source],
        outs = [variant + "/lfbloom/c11.h"],
        cmd = "$(location c11_modelled.sh) < $< > $@",
        tools = ["c11_modelled.sh"],
    )

# Nearly all of its time is compilation, so it has one scenario.
def _binary(name, model, scenario, copts, deps = [], srcs = [], variant = "modelled"):
    cc_binary(
        name = name,
        testonly = True,
        srcs = [model + ".cc", variant + "/lfbloom/c11.h"] + srcs,
        copts = COPTS + ["-DLFB_MODEL_SCENARIO='\"%s\"'" % scenario] + _includes(variant) + copts,
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
        tags = [
            "notsan",
            "proof",
        ],
    )

def model(name, bound, plants, mutated = None, mutants = {}):
    """A model, and one test for each planted bug and each weakened order that it finds.

    Args:
      name: of the test, and of its source without .cc.
      bound: on the switches of threads that no thread asked for.
      plants: planted bug (tests/plants) -> the scenario that shows it.
      mutated: the source that mutants change: the model includes it by LFB_MODEL_MUTATED.
      mutants: name -> (what sed changes of it, the scenario that shows it; a source in its place).
    """
    cc_test(
        name = name,
        size = "medium",
        srcs = [
            name + ".cc",
            "modelled/lfbloom/c11.h",
        ],
        args = ["--bound=%d" % bound],
        copts = COPTS + _includes("modelled"),
        linkopts = LINKOPTS,
        tags = [
            "notsan",
            "proof",
        ],
        deps = [":library"],
    )
    for plant, scenario in plants.items():
        binary = "%s_%s" % (name, plant)
        source = PLANTS[plant].files[0]
        if source.endswith("/c11.h"):
            _binary(binary, name, scenario, [], variant = plant)
        else:
            _binary(
                binary,
                name,
                scenario,
                ["-DLFB_MODEL_MUTATED=<tests/plants/%s/%s>" % (plant, source)] +
                # so that a model which includes several sources leaves out this one
                ["-DLFB_MODEL_MUTATED_" + source.split("/")[-1].replace(".", "_")],
                deps = ["//tests/plants:%s_sources" % plant],
            )
        _must_find(binary, scenario)
    for mutant, row in mutants.items():
        change, scenario, source = (row + (mutated,))[:3]
        binary = "%s_%s" % (name, mutant)
        changed = binary + "_mutated.h"
        native.genrule(
            name = binary + "_source",
            srcs = [source],
            outs = [changed],
            cmd = "sed '%s' $< > $@ && ! cmp -s $< $@" % change.replace("$", "$$"),
        )
        which = "-DLFB_MODEL_MUTATED_" + source.split(":")[-1].split("/")[-1].replace(".", "_")
        _binary(binary, name, scenario, ["-DLFB_MODEL_MUTATED=<tests/model/%s>" % changed, which], srcs = [changed])
        _must_find(binary, scenario)
