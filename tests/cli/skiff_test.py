#!/usr/bin/env python3
"""What skiff says about itself: help, manual pages, completion, and that the documentation agrees.

    skiff_test.py BINARY [unittest options]
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""


COMMANDS = ("convert", "store", "store backup", "store restore", "store inspect", "store copy",
            "store compact", "store defrag", "store salvage", "completion", "version", "help",
            "up", "down", "status", "reset", "bench", "bench api", "etcd", "cel")
SERVERS = ("kube-apiserver", "kube-controller-manager")


def skiff(*arguments):
    done = subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"skiff {arguments}: {done.returncode} {done.stderr}")
    return done.stdout


class Help(unittest.TestCase):
    def test_help_is_the_same_whichever_way_one_asks(self):
        self.assertEqual(skiff("help"), skiff("--help"))
        self.assertEqual(skiff("help"), skiff("-h"))
        self.assertEqual(skiff("help", "convert"), skiff("convert", "--help"))
        self.assertEqual(skiff("help", "convert"), skiff("convert", "x", "-h", "--to", "json"))
        self.assertEqual(skiff("help", "store"), skiff("store", "--help"))
        self.assertEqual(skiff("help", "store", "copy"), skiff("store", "copy", "-h"))
        for server in SERVERS:
            done = subprocess.run([os.path.join(os.path.dirname(BINARY), server), "--help"],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (0, skiff("help", server)))

    def test_help_lists_every_command_where_it_belongs(self):
        for command in COMMANDS:
            *group, word = command.split()
            self.assertRegex(skiff("help", *group), rf"\n  {word} +[a-z]")
        self.assertNotRegex(skiff("help"), r"\n  backup ")

    def test_without_a_command_help_is_an_error(self):
        done = subprocess.run([BINARY], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", skiff("help")))
        done = subprocess.run([BINARY, "store"], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", skiff("help", "store")))

    def test_help_fits_a_terminal_except_for_examples(self):
        for command in ("", *COMMANDS, *SERVERS):
            text = skiff("help", *command.split()).split("\nExamples:")[0]
            for line in text.splitlines():
                self.assertTrue(len(line) <= 80 or " " not in line.strip("() "), line)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "--version"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"No space left on device", done.stderr)


class Names(unittest.TestCase):
    """One executable is all programs, by the name that it is called by."""
    VERSIONS = {"skiff": "skiff v", "kube-apiserver": "Kubernetes v", "etcd": "etcd Version: ",
                "kube-controller-manager": "Kubernetes v"}

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def expect(self, name, *words, **how):
        done = subprocess.run([*words, "--version"], capture_output=True, text=True, timeout=60,
                              **how)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        self.assertTrue(done.stdout.startswith(self.VERSIONS[name]), done.stdout)

    def test_the_programs_beside_skiff_are_links_to_it(self):
        for name in self.VERSIONS:
            path = Path(BINARY).parent / name
            self.assertEqual(path.resolve(), Path(BINARY).resolve())
            self.expect(name, path)
            self.expect(name, name, env={**os.environ, "PATH": str(path.parent)})

    def test_links_from_elsewhere_and_copies_are_what_they_are_called(self):
        copy = self.folder / "copied"
        shutil.copyfile(BINARY, copy)
        copy.chmod(0o755)
        self.expect("skiff", copy)
        for name in self.VERSIONS:
            link = self.folder / name
            link.symlink_to(os.path.relpath(BINARY, self.folder))
            self.expect(name, link)
            self.expect(name, f"./{name}", cwd=self.folder)
            again = self.folder / f"{name}-v1.36.4"
            again.symlink_to(link)
            self.expect(name, again)
            again.unlink()
            os.link(copy, again)
            self.expect(name, again)
            again.unlink()
            copy.rename(again)
            self.expect(name, again)
            again.rename(copy)

    def test_a_first_word_that_means_no_program_leaves_it_what_was_executed(self):
        for name in self.VERSIONS:
            path = Path(BINARY).parent / name
            self.expect(name, "of-my-own", executable=path)
            self.expect("etcd", "etcd", executable=path)

    def test_servers_are_commands_of_skiff_too(self):
        for name in SERVERS:
            self.expect(name, BINARY, name)
            self.assertEqual(skiff(name, "--help"), skiff("help", name))
            done = subprocess.run([BINARY, name, "--no-such-flag"], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith(f"{name}: unknown flag"), done.stderr)
            self.assertRegex(skiff("help"), rf"\n  {name} +[a-z]")

    def test_etcd_takes_flags_with_one_dash(self):
        done = subprocess.run([Path(BINARY).parent / "etcd", "-version"], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Documentation(unittest.TestCase):
    def test_the_page_on_convert_shows_the_flags_as_they_are(self):
        flags = re.search(r"\nFlags:\n(.*?)\n\n", skiff("help", "convert"), re.S).group(1)
        self.assertIn("```\n" + flags + "\n```", (ROOT / "docs/convert.md").read_text())

    def test_examples_of_the_documentation_parse(self):
        # With --help among their flags, so that nothing is read or written.
        pages = [path.read_text() for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]]
        blocks = re.findall(r"^```\n.*?^```$|^    [^\n]*$", "\n".join(pages), re.M | re.S)
        blocks += [skiff("help", *command.split()).split("\nExamples:")[-1]
                   for command in COMMANDS + SERVERS]
        text = re.sub(r"\$\([^)]*\)", "1", "\n".join(blocks).replace("\\\n", " "))
        lines = re.findall(r"(?:^ *|[|$(&] *)(?:build/bin/)?((?:skiff|" + "|".join(SERVERS) +
                           r") [a-z-][^|&#>)\n]*)", text, re.M)
        # But for synopses, and for what the commands say.
        lines = [line for line in lines if not re.search(r"FORMAT|COMMAND|\[flags\]|: [a-z]", line)]
        for command in (*(f"skiff {each}" for each in COMMANDS[2:8]), "skiff up", "skiff etcd",
                        "skiff bench api", *SERVERS):
            self.assertTrue(any(line.startswith(f"{command} ") for line in lines), command)
        for line in lines:
            program, *words = shlex.split(line)
            name = 0
            while name < len(words) and " ".join(words[:name + 1]) in COMMANDS:
                name += 1
            done = subprocess.run([os.path.join(os.path.dirname(BINARY), program), *words[:name],
                                   "--help", *words[name:]],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), line)

    @unittest.skipUnless(shutil.which("man") or shutil.which("groff"), "no man and no groff here")
    def test_manual_pages_have_no_faults(self):
        for command in [[]] + [command.split() for command in COMMANDS + SERVERS]:
            page = skiff("help", *command, "--format", "man")
            tool = ["groff", "-man", "-Tascii", "-ww"] if shutil.which("groff") else \
                ["man", "--warnings", "-l", "-"]
            done = subprocess.run(tool, input=page, capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertNotRegex(done.stdout, r"\w[-\u2010]\n +[a-z]")

    def test_manual_pages_name_every_flag(self):
        for command in COMMANDS + SERVERS:
            page = skiff("help", *command.split(), "--format", "man").replace("\\-", "-")
            for flag in re.findall(r"--[a-z][a-z0-9-]*", skiff("help", *command.split())):
                self.assertIn(flag, page)

    def test_all_manual_pages_are_written_at_once_and_refer_to_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            skiff("help", "--pages", folder)
            pages = {path.name: path.read_text() for path in Path(folder).iterdir()}
        names = {"skiff.1"} | {f"skiff-{command.replace(' ', '-')}.1" for command in COMMANDS}
        names |= {f"{server}.1" for server in SERVERS}
        self.assertEqual(set(pages), names)
        for text in pages.values():
            for name in re.findall(r"\.BR (\S+) \(1\)", text):
                self.assertIn(name.replace("\\-", "-") + ".1", names)
        self.assertEqual(pages["skiff-store-copy.1"],
                         skiff("help", "store", "copy", "--format", "man"))


class Completion(unittest.TestCase):
    def complete_in_bash(self, *words, program="skiff"):
        script = skiff("completion", "bash") + (
            "\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _skiff; "
            "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", script, "bash", program, *words], cwd=ROOT / "docs",
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_completes_commands_flags_values_and_files(self):
        self.assertEqual(self.complete_in_bash("co"), ["convert", "completion"])
        self.assertEqual(self.complete_in_bash("--v"), ["--version"])
        self.assertEqual(self.complete_in_bash("convert", "--ma"), ["--max-document-size"])
        formats = ["json", "yaml", "protobuf"]
        self.assertEqual(self.complete_in_bash("convert", "--to", ""), formats)
        self.assertEqual(self.complete_in_bash("convert", "--to", "=", "y"), ["yaml"])
        self.assertEqual(self.complete_in_bash("convert", "--to", "="), formats)
        self.assertEqual(self.complete_in_bash("convert", "--validate", "w"), ["warn"])
        self.assertEqual(self.complete_in_bash("convert", "-o", "conv"), ["convert.md"])
        self.assertEqual(self.complete_in_bash("convert", "conv"), ["convert.md"])
        self.assertEqual(self.complete_in_bash("help", "ver"), ["version"])
        self.assertEqual(self.complete_in_bash("completion", "z"), ["zsh"])

    def test_bash_completes_groups_of_commands(self):
        self.assertEqual(self.complete_in_bash("st"), ["status", "store"])
        self.assertEqual(self.complete_in_bash("store", "co"), ["copy", "compact"])
        self.assertEqual(self.complete_in_bash("store", "--h"), ["--help"])
        self.assertEqual(self.complete_in_bash("store", "copy", "--fr"),
                         ["--from", "--from-cafile", "--from-certfile", "--from-keyfile"])
        self.assertEqual(self.complete_in_bash("store", "inspect", "-o", "y"), ["yaml"])
        self.assertEqual(self.complete_in_bash("store", "backup", "--data-dir", "dec"),
                         ["decisions"])
        self.assertEqual(self.complete_in_bash("store", "restore", "conv"), ["convert.md"])
        self.assertEqual(self.complete_in_bash("help", "store", "def"), ["defrag"])
        self.assertEqual(self.complete_in_bash("help", "--format", "man", "sto"), ["store"])

    def test_bash_completes_flags_of_servers(self):
        def complete(program, *words):
            return self.complete_in_bash(*words, program=program)
        for program in ("kube-apiserver", "build/bin/kube-apiserver"):
            self.assertEqual(complete(program, "--etcd-server"),
                             ["--etcd-servers", "--etcd-servers-overrides"])
        self.assertEqual(complete("kube-apiserver", "--leader-elect"), [])
        self.assertEqual(complete("kube-apiserver", "--tls-cert-file", "conv"), ["convert.md"])
        self.assertEqual(complete("kube-apiserver", "--cert-dir", "=", "dec"), ["decisions"])
        self.assertEqual(complete("kube-apiserver", "up"), [])
        self.assertEqual(complete("skiff", "kube-a"), ["kube-apiserver"])
        self.assertEqual(complete("skiff", "kube-apiserver", "--etcd-server"),
                         ["--etcd-servers", "--etcd-servers-overrides"])
        self.assertEqual(complete("kube-controller-manager", "--leader-elect-re"),
                         ["--leader-elect-renew-deadline", "--leader-elect-resource-lock",
                          "--leader-elect-resource-name", "--leader-elect-resource-namespace",
                          "--leader-elect-retry-period"])
        self.assertEqual(complete("kube-controller-manager", "--kubeconfig", "conv"),
                         ["convert.md"])
        registered = re.search(r"^complete -F \w+ (.*)$", skiff("completion", "bash"), re.M)
        self.assertEqual(registered.group(1).split(), ["skiff", *SERVERS])

    def test_scripts_are_accepted_by_their_shells(self):
        for shell in ("bash", "zsh", "fish"):
            if not shutil.which(shell):
                print(f"{shell} is not here: its script was not tried", file=sys.stderr)
                continue
            done = subprocess.run([shell, "-n"], input=skiff("completion", shell), text=True,
                                  capture_output=True, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)

    def test_every_script_knows_every_flag(self):
        helps = [skiff("help", *command.split()) for command in COMMANDS + SERVERS]
        flags = set(re.findall(r"^ .*--([a-z][a-z0-9-]*)", "\n".join(helps), re.M))
        # Those of etcdctl and of kube-apiserver, in examples.
        flags -= {"print-value-only", "endpoints", "runtime-config"}
        for shell in ("bash", "zsh", "fish"):
            script = skiff("completion", shell)
            for flag in flags:
                self.assertRegex(script, rf"(--|-l ){flag}\b")


if __name__ == "__main__":
    unittest.main(verbosity=2)
