"""workflows_test.py TREE WORKFLOW...: the workflows are YAML of the expected form, actions are pinned by
major version, and each command of Bazel is one of .ci/run or .ci/all, with options of .bazelrc.  Each
stage of both lanes that one host can run by Bazel alone is in a workflow.

Seen to fail with a tab, with an action at @main, with a target that both lanes lack, and without the
job for other processors.
"""

import re
import sys

import yaml

tree, workflows = sys.argv[1], sys.argv[2:]
wrong = checked = 0
LANES = "".join(open(f"{tree}/.ci/{name}").read() for name in ("run", "all", "stages.sh"))
# Stages that a workflow need not have: they take packages of Debian 12, or CMake, which has a job of its
# own, or compare with a former run.
ELSEWHERE = ("proofs", "clang-tidy", "cmake", "clang-threads", "clang", "clang-19", "fuzz-build", "calculator",
             "soak", "nothing-lost")
run = []


def complain(text):
    global wrong
    wrong += 1
    print(text)


def without_options(command):
    return re.sub(r"-- |\$whole |--(?!config)[a-z_]*=\S+ ", "", command.removeprefix("./bazelw ")).split()


def check_command(path, command):
    global checked
    for part in command.split("&&"):
        words = [word for word in part.split() if word != "sudo"]
        checked += 1
        if words[0] not in ("apt-get", "cmake", "ctest", "./bazelw"):
            complain(f"{path}: {words[0]} is no command of this project")
        if words[0] == "./bazelw":
            for config in re.findall(r"--config=(\w+)", part):
                re.search(f"^(build|test):{config} ", open(f"{tree}/.bazelrc").read(), re.MULTILINE) or complain(
                    f"{path}: no --config={config}")
            # The lanes add what needs no repetition: a skipped test is no failure here.
            run.append(without_options(part))
            all(word in LANES for word in run[-1]) or complain(f"{path}: neither .ci/run nor .ci/all has {part}")


for path in workflows:
    document = yaml.safe_load(open(path))
    # YAML 1.1 reads the key `on` as true.
    {"name", True, "permissions", "jobs"} <= set(document) or complain(f"{path}: a part is missing")
    document["permissions"]["contents"] == "read" or complain(f"{path}: it may write")
    for name, job in document["jobs"].items():
        commands = [row["command"] for row in job.get("strategy", {}).get("matrix", {}).get("include", [])]
        "timeout-minutes" in job or complain(f"{path}: {name} has no time limit")
        for step in job["steps"]:
            if "uses" in step:
                re.fullmatch(r"[\w-]+(/[\w-]+)+@v\d+", step["uses"]) or complain(f"{path}: {step['uses']} is not pinned")
            elif step["run"] != "${{ matrix.command }}":
                commands.append(step["run"])
        for command in commands:
            check_command(path, command)

for name, command in re.findall(r"^(?:stage|check) (\S+) (.*)$", LANES.replace("\\\n", ""), re.MULTILINE):
    if name not in ELSEWHERE and command.startswith("./bazelw ") and "${" not in command:
        without_options(command) in run or complain(f"no workflow runs the stage {name}: {command}")

print(f"{checked} commands, {wrong} wrong")
sys.exit(wrong != 0 or checked < 10)
