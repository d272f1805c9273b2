"""Proof that the checks bite: each damage done here must be noticed, each bad file refused."""

import gc
import os
import tempfile

import model

NOTICED, UNNOTICED, UNDONE = range(3)  # what becomes of a damage

HEAD = "# A group.\ngroup x\nversion v1\nclass served\nproto x.v1\nopenapi x.v1\n"
BAD_FILES = [  # text after the head, line of the error, part of the message
    ("type A {\n  a 0 string\n}\n", 8, "tags begin at 1"),
    ("type A {\n  a 1 string nonsense\n}\n", 8, "unknown attribute"),
    ("type A {\n  a 1 NoSuchType\n}\n", 8, "no message NoSuchType"),
    ("type A {\n  a 1\n}\n", 8, "has no type"),
    ("type A {\n  a 1 string\n", 7, "not closed"),
    ("type A {}\ntype A {}\n", 8, "declared twice"),
    ("type A {\n  a 1 string enum(x\n}\n", 8, "unclosed"),
    ("type A form=strange {}\n", 7, "unknown word"),
    ("type A {\n   a 1 string\n}\n", 8, "indent"),
    ("kind A {\n  default spec.a by-code\n}\n", 8, "expected: default PATH"),
    ("resource as of A namespaced {\n  verbs all\n}\n", 7, "no message A"),
    ("frobnicate\n", 7, "unknown statement"),
    ("type A {\n  a 1 any\n}\n", 8, "cannot be in protobuf"),
]


def check_bad_files(report):
    for text, line, message in BAD_FILES:
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "x"))
            with open(os.path.join(directory, "x", "v1.api"), "w", encoding="utf-8") as file:
                file.write(HEAD + text)
            try:
                model.load(directory)
                error = "nothing"
            except model.SchemaError as problem:
                error = str(problem)
        good = error.startswith(f"api/x/v1.api:{line}: ") and message in error
        report.check(good, f"bad file {text!r} is refused at line {line}: {error}")


def field(schema, key, name):
    return schema.message(key).field(name)


def drop(table, key):
    del table[key]


def hub(schema, name, group=""):
    return schema.hub(group, name)


# What is done, and whether the schema alone (without the facts) shows it.
DAMAGE = [
    ("a field is removed", lambda s: s.message("core/v1.Container").fields.pop(3), False),
    ("two fields change places", lambda s: swap(s.message("core/v1.Container").fields), False),
    ("a message is removed", lambda s: drop(s.versions["apps/v1"].messages, "Deployment"), True),
    ("a tag is altered", lambda s: setattr(
        field(s, "core/v1.PodSpec", "nodeName"), "tag", 99), False),
    ("a tag is used twice", lambda s: setattr(
        field(s, "core/v1.PodSpec", "nodeName"), "tag", 1), True),
    ("a tag is lost", lambda s: setattr(
        field(s, "core/v1.PodSpec", "nodeName"), "tag", None), True),
    ("a type is altered", lambda s: setattr(
        field(s, "core/v1.Probe", "periodSeconds").type, "name", "int64"), False),
    ("a wire type is altered", lambda s: setattr(
        field(s, "core/v1.Probe", "periodSeconds"), "proto_wire", "int64"), False),
    ("omitempty is lost", lambda s: setattr(
        field(s, "core/v1.PodSpec", "nodeName"), "omitempty", False), False),
    ("a pointer is lost", lambda s: setattr(
        field(s, "core/v1.PodSpec", "securityContext"), "pointer", False), False),
    ("required is flipped", lambda s: setattr(
        field(s, "core/v1.Container", "name"), "required", False), False),
    ("a list type is altered", lambda s: setattr(
        field(s, "core/v1.PodSpec", "containers"), "list_type", "atomic"), True),
    ("a list key is wrong", lambda s: setattr(
        field(s, "core/v1.PodSpec", "containers"), "list_keys", ["nome"]), True),
    ("a list key is lost", lambda s: field(
        s, "core/v1.Container", "ports").list_keys.pop(), False),
    ("a merge key is wrong", lambda s: setattr(
        field(s, "core/v1.PodSpec", "containers"), "merge_key", "image"), False),
    ("a patch strategy is lost", lambda s: setattr(
        field(s, "core/v1.PodSpec", "volumes"), "patch_strategy", "merge"), False),
    ("a map type is lost", lambda s: setattr(
        s.message("meta/v1.LabelSelector"), "map_type", None), False),
    ("an enum loses a value", lambda s: field(
        s, "core/v1.Container", "imagePullPolicy").enum.pop(), False),
    ("a form is lost", lambda s: setattr(s.message("meta/v1.Time"), "form", "duration"), False),
    ("a kind is no kind", lambda s: setattr(s.message("core/v1.Pod"), "is_kind", False), True),
    ("a published type is not", lambda s: setattr(
        field(s, "core/v1.Container", "name"), "openapi_default", model.ABSENT), False),
    ("a default is altered", lambda s: setattr(
        field(s, "core/v1.PodSpec", "restartPolicy"), "default", "Never"), False),
    ("a default is no choice", lambda s: setattr(
        field(s, "core/v1.PodSpec", "restartPolicy"), "default", "Sometimes"), True),
    ("a default rule is lost", lambda s: s.message("apps/v1.Deployment").defaults.pop(), False),
    ("a default rule is added", lambda s: s.message("apps/v1.Deployment").defaults.append(
        model.DefaultRule("spec.paused", model.Where("x", 1), False)), False),
    ("an alias is lost", lambda s: drop(
        s.versions["meta/v1beta1"].aliases, "Table"), True),
    ("a proto package is altered", lambda s: setattr(
        s.versions["apps/v1"], "proto", "k8s.io.api.app.v1"), False),
    ("a resource is lost", lambda s: drop(s.versions["core/v1"].resources, "pods"), False),
    ("a verb is lost", lambda s: hub(s, "pods").verbs.pop(), False),
    ("a short name is lost", lambda s: hub(s, "pods").short_names.pop(), False),
    ("a subresource is lost", lambda s: hub(s, "pods").subresources.pop(), False),
    ("a subresource has another kind", lambda s: setattr(
        hub(s, "pods").subresources[0], "kind", "core/v1.Pod"), False),
    ("a hash is altered", lambda s: setattr(hub(s, "pods"), "hash", "x"), False),
    ("a key is altered", lambda s: setattr(hub(s, "nodes").storage, "prefix", "nodes"), False),
    ("another version is stored", lambda s: setattr(
        hub(s, "horizontalpodautoscalers", "autoscaling").storage, "stored",
        "autoscaling/v1.HorizontalPodAutoscaler"), False),
    ("reset fields are lost", lambda s: drop(hub(s, "pods").storage.reset, "status"), False),
    ("an action is lost", lambda s: hub(s, "pods").storage.actions["update"].pop(), False),
    ("a selector is lost", lambda s: hub(s, "pods").selectors.labels.pop(), False),
    ("an index is lost", lambda s: hub(s, "pods").selectors.indexers.pop(), False),
    ("an immutable path is lost", lambda s: hub(s, "jobs", "batch").immutable.pop(), False),
    ("an immutable path is wrong", lambda s: hub(
        s, "jobs", "batch").immutable.append("spec.nothing"), True),
    ("a column is lost", lambda s: s.versions["core/v1"].columns["Pod"].columns.pop(), False),
    ("a column becomes wide", lambda s: setattr(
        s.versions["core/v1"].columns["Pod"].columns[0], "priority", 1), False),
    ("a cell leads nowhere", lambda s: setattr(
        s.versions["core/v1"].columns["Pod"].columns[0], "cell", ".metadata.nome"), True),
    ("a group moves in discovery", lambda s: setattr(
        s.versions["apps/v1"], "group_priority", 1), False),
    ("a registration is lost", lambda s: s.versions["meta/v1"].registers.clear(), True),
]


def swap(items):
    items[0], items[1] = items[1], items[0]


def check_damage(schema, check, with_facts, report):
    """check(schema) raises when something is wrong with the schema."""
    gc.freeze()  # the children need not look at what is there already
    for name, damage, alone in DAMAGE:
        if with_facts or alone:
            report.check(is_noticed(schema, damage, check), f"damage goes unnoticed: {name}")


def is_noticed(schema, damage, check):
    """Does the damage in a child process, whose copy of the schema costs nothing to make."""
    child = os.fork()
    if child == 0:
        code = UNDONE
        try:
            damage(schema)
            code = UNNOTICED
            check(schema)
        except Exception:  # a check that trips over the damage has noticed it too
            code = NOTICED if code == UNNOTICED else UNDONE
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == NOTICED
