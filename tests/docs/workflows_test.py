"""workflows_test.py TREE WORKFLOW...: the workflows are YAML of the expected form, actions are pinned by
major version, and each command of Bazel is one of .ci/run, with options of .bazelrc.

Seen to fail with a tab, with an action at @main, and with a target that .ci/run lacks.
"""

import re
import sys

import yaml

tree, workflows = sys.argv[1], sys.argv[2:]
wrong = checked = 0


def complain(text):
    global wrong
    wrong += 1
    print(text)


def check_command(path, command):
    global checked
    for part in command.split("&&"):
        words = [word for word in part.split() if word != "sudo"]
        checked += 1
        if words[0] not in ("apt-get", "cmake", "ctest", "./bazelw"):
            complain(f"{path}: {words[0]} is no command of this project")
        if words[0] == "./bazelw":
            for config in re.findall(r"--config=(\w+)", part):
                f"build:{config} " in open(f"{tree}/.bazelrc").read() or complain(f"{path}: no --config={config}")
            # .ci/run adds what needs no repetition: a skipped test is no failure here.
            stage = re.sub(r"-- |--[a-z_]*=\S+ ", "", part.removeprefix("./bazelw ")).split()
            ci = open(f"{tree}/.ci/run").read()
            all(word in ci for word in stage) or complain(f"{path}: .ci/run has no {part}")


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

print(f"{checked} commands, {wrong} wrong")
sys.exit(wrong != 0 or checked < 10)
