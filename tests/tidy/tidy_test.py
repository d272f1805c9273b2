#!/usr/bin/env python3
"""Shows that each rule of tools/tidy fires on a tree that breaks it and that a good one passes."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

TIDY = Path(__file__).resolve().parents[2] / "tools" / "tidy"
LOADER = importlib.machinery.SourceFileLoader("tidy", str(TIDY))
tidy = importlib.util.module_from_spec(importlib.util.spec_from_loader("tidy", LOADER))
LOADER.exec_module(tidy)

README = """# Folders
| Folder | Uses | What it holds |
|---|---|---|
| `base` | – | ground |
| `object` | `base` | values |
| `object/json` | `object` | text |
| `api` | `object` | generated |
| `cli` | `api` | commands |
"""

GOOD = {
    "src/README.md": README,
    "src/base/CMakeLists.txt": "skiff_library()\n",
    "src/base/a.h": "// A.\n#pragma once\nint A();\n",
    "src/base/a.cc": '#include "base/a.h"\nint A() { return 1\'000; }\n',
    "src/object/CMakeLists.txt": "skiff_library(DEPS base LINK yaml)\n",
    "src/object/v.h": '// V.\n#pragma once\n#include "base/a.h"\n'
                      "namespace skiff::object {\ninline int V() { return A(); }\n}\n",
    "src/object/v.cc": '#include "object/v.h"\n',
    "src/object/v_test.cc": '#include "api/core.h"\n#include "object/v.h"\n',
}


def lines(count, text):
    return "".join(text for _ in range(count))


class TidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "checkout"

    def run_tidy(self, files, *options):
        for path, text in {**GOOD, **files}.items():
            if text is None:
                continue
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        options = options or ("--no-headers",)
        # Within this process: starting one, with all its patterns, takes ten times as long.
        words = ["--root", self.root, *options]
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            code = tidy.main(list(map(str, words)))
        return subprocess.CompletedProcess(words, code, output.getvalue(), "")

    def assert_fires(self, files, *expected, options=()):
        done = self.run_tidy(files, *options)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in expected:
            self.assertIn(text, done.stdout)
        return done.stdout

    def assert_passes(self, files, *expected, options=()):
        done = self.run_tidy(files, *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for text in expected:
            self.assertIn(text, done.stdout)

    def in_source(self, code):
        return {"src/base/a.h": "// A.\n#pragma once\n",
                "src/base/a.cc": '#include "base/a.h"\n' + code}

    def in_test(self, code):
        return {"src/base/a_test.cc": '#include "base/a.h"\n' + code}

    # The tree as a whole.

    def test_good_tree_passes_without_warnings(self):
        self.assert_passes({}, " 0 errors, 0 warnings")

    def test_good_tree_passes_with_its_headers_compiled(self):
        self.assert_passes({}, " 0 errors", options=("--build", self.root / "build"))

    # Layers.

    def test_include_against_the_order_of_layers(self):
        self.assert_fires({"src/base/b.cc": '#include "object/v.h"\n'},
                          "src/base/b.cc:1: [layer] base may not use object")

    def test_include_of_a_layer_that_stands_above_but_is_not_allowed(self):
        self.assert_fires({"src/cli/CMakeLists.txt": "skiff_library(DEPS api)\n",
                           "src/cli/c.cc": '#include "object/json/j.h"\n'},
                          "src/cli/c.cc:1: [layer] cli may not use object/json")

    def test_what_a_folder_uses_brings_along_all_that_it_uses_itself(self):
        self.assert_passes({"src/cli/CMakeLists.txt": "skiff_library(DEPS api)\n",
                            "src/cli/c.cc": '#include "api/core.h"\n#include "base/a.h"\n'})

    def test_tests_may_use_what_only_they_are_linked_with(self):
        with_test = {"src/cli/c.cc": '#include "api/core.h"\n',
                     "src/cli/c_test.cc": '#include "load/l.h"\n',
                     "src/load/CMakeLists.txt": "skiff_library(DEPS base)\n",
                     "src/load/l.h": '// L.\n#pragma once\n#include "base/a.h"\n',
                     "src/README.md": README.replace("| `cli`", "| `load` | `base` | |\n| `cli`")}
        self.assert_passes({**with_test, "src/cli/CMakeLists.txt":
                            "skiff_library(DEPS api TEST_LINK skiff_load)\n"})
        self.assert_fires({**with_test, "src/cli/CMakeLists.txt": "skiff_library(DEPS api)\n"},
                          "src/cli/c_test.cc:1: [layer] cli may not use load")

    def test_only_tests_may_use_the_generated_tables(self):
        self.assert_fires({"src/object/v.cc": '#include "object/v.h"\n#include "api/core.h"\n'},
                          "src/object/v.cc:2: [layer] object may not use api")

    def test_include_that_is_no_path_from_src(self):
        self.assert_fires({"src/base/a.cc": '#include "a.h"\n'}, "a.cc:1: [layer]")

    def test_commented_include_does_not_count(self):
        self.assert_passes({"src/base/b.cc": '// #include "object/v.h"\n'})

    def test_folder_that_the_table_lacks(self):
        self.assert_fires({"src/new/CMakeLists.txt": "skiff_library()\n", "src/new/n.cc": "\n"},
                          "src/new/n.cc:1: [layer]", "src/new/CMakeLists.txt:1: [layer]")

    def test_table_whose_row_uses_a_later_one(self):
        self.assert_fires({"src/README.md": README.replace("| – |", "| `object` |")},
                          "src/README.md:4: [layer] base uses object")

    def test_table_that_names_what_comes_along_anyway(self):
        self.assert_fires({"src/README.md": README.replace("| `api` | c", "| `base` `api` | c")},
                          "src/README.md:8: [layer] cli need not name base")

    def test_table_that_names_what_is_not_used(self):
        self.assert_fires({"src/object/v.h": "// V.\n#pragma once\n"},
                          "src/README.md:5: [layer] object names base and includes nothing of it")

    def test_table_that_does_not_fit_on_the_screen(self):
        long = README.replace("| ground |", f"| {'ground ' * 12}|")
        self.assert_fires({"src/README.md": long},
                          "src/README.md:4: [table] 83 characters on what base holds")
        self.assert_fires({"src/README.md": README + lines(85, "More.\n")},
                          "src/README.md:1: [table] more than 90 lines")

    def test_library_list_that_lacks_what_the_table_names(self):
        self.assert_fires({"src/object/CMakeLists.txt": "skiff_library(LINK yaml)\n"},
                          "src/object/CMakeLists.txt:1: [layer] object must link base")

    def test_missing_table(self):
        self.assert_fires({"src/README.md": "# Folders\n"}, "[layer] has no table")

    def test_library_list_against_the_table(self):
        self.assert_fires({"src/base/CMakeLists.txt": "skiff_library(DEPS object LINK yaml)\n"},
                          "src/base/CMakeLists.txt:1: [layer] base may not link object")

    def test_linked_target_against_the_table(self):
        self.assert_fires(
            {"src/base/CMakeLists.txt":
             "skiff_library()\ntarget_link_libraries(skiff_base PUBLIC skiff_object_json)\n"},
            "[layer] base may not link object/json")

    # Banned calls.

    def test_clocks(self):
        for call in ("std::chrono::steady_clock::now()", "std::chrono::system_clock::now()",
                     "time(nullptr)", "std::time(0)", "gettimeofday(&t, 0)",
                     "clock_gettime(CLOCK_REALTIME, &t)"):
            with self.subTest(call):
                self.assert_fires(self.in_source(f"auto x = {call};\n"), "a.cc:2: [clock]")

    def test_the_clock_itself_may_ask_the_time(self):
        self.assert_passes(
            {"src/base/system_clock.cc": "auto x = std::chrono::system_clock::now();\n"})

    def test_a_test_may_measure_a_cost_but_not_ask_the_date(self):
        self.assert_passes(self.in_test("auto x = std::chrono::steady_clock::now();\n"))
        self.assert_fires(self.in_test("auto x = std::chrono::system_clock::now();\n"), "[clock]")

    def test_randomness(self):
        for call in ("rand()", "std::random_device d", "getrandom(p, 1, 0)", "std::mt19937 g"):
            with self.subTest(call):
                self.assert_fires(self.in_source(f"auto x = {call};\n"), "a.cc:2: [random]")

    def test_a_test_may_use_a_seeded_generator_only(self):
        self.assert_passes(self.in_test("std::mt19937 g(7);\n"))
        self.assert_fires(self.in_test("std::random_device d;\n"), "[random]")

    def test_threads(self):
        for call in ("std::thread t(f)", "std::jthread t(f)", "pthread_create(a, b, c, d)",
                     "std::async(f)"):
            with self.subTest(call):
                self.assert_fires(self.in_source(f"{call};\n"), "a.cc:2: [thread]")

    def test_sleep_in_source_and_test(self):
        code = "std::this_thread::sleep_for(x);\n"
        self.assert_fires(self.in_source(code), "a.cc:2: [sleep]")
        self.assert_fires(self.in_test(code), "a_test.cc:2: [sleep]")

    def test_printing(self):
        for call in ('printf("x");', 'fprintf(stderr, "x");', "std::cout << 1;", 'puts("x");',
                     "\n#include <iostream>"):
            with self.subTest(call):
                self.assert_fires(self.in_source(f"{call}\n"), "[print]")

    def test_commands_may_print_and_anyone_may_format(self):
        self.assert_passes({"src/cli/CMakeLists.txt": "skiff_library(DEPS api)\n",
                            "src/cli/c.cc": '#include "api/core.h"\nnamespace skiff::cli {\n'
                                            "void F() { std::cout << 1; }\n}\n",
                            "src/base/b.cc": 'void F() { snprintf(p, 1, "x"); }\n'})

    def test_shell_and_namespace(self):
        self.assert_fires(self.in_source('int x = system("ls");\n'), "[system]")
        self.assert_fires(self.in_source("using namespace std;\n"), "[namespace]")

    def test_words_in_comments_and_strings_are_not_calls(self):
        self.assert_passes(self.in_source(
            '// Not rand() nor sleep(1).\n/* std::thread */\nauto s = "system(\\"x\\") printf(";\n'
            'auto r = R"x(std::cout << rand())x";\nchar c = \'"\';\nint n = 10\'000;\n'))

    # Text.

    def test_markers(self):
        for word in ("TO" "DO", "FIX" "ME", "XX" "X"):
            with self.subTest(word):
                self.assert_fires(self.in_source(f"// {word}: later\n"), "a.cc:2: [marker]")

    def test_white_space(self):
        self.assert_fires(self.in_source("int x; \n"), "a.cc:2: [space]")
        self.assert_fires(self.in_source("int x;"), "a.cc:2: [space]")
        self.assert_fires(self.in_source("\tint x;\n"), "a.cc:2: [tab]")

    def test_wide_lines_fail_in_src_and_warn_elsewhere(self):
        wide = "//" + 99 * "x" + "\n"
        self.assert_fires(self.in_source(wide), "a.cc:2: [columns] 101 columns")

    def test_wide_line_of_a_tool_is_a_warning(self):
        self.assert_passes({"tools/t.py": "#" + 100 * "x" + "\n"}, "t.py:1: warning: [columns]")

    def test_columns_count_characters_not_bytes(self):
        self.assert_passes(self.in_source("//" + 98 * "é" + "\n"), " 0 warnings")

    def test_machine_paths(self):
        for place in ("/home/" "someone/skiff", str(self.root.resolve()) + "/src"):
            with self.subTest(place):
                self.assert_fires(self.in_source(f'auto s = "{place}";\n'), "[machine-path]")

    def test_data_may_contain_anything(self):
        self.assert_passes({"tests/golden/testdata/x.py": "\t \n", "fuzz/corpus/json/y.h": "\t"})

    # Headers and files.

    def test_header_without_guard_or_comment(self):
        self.assert_fires({"src/base/a.h": "// A.\nint A();\n"}, "a.h:1: [pragma-once]")
        self.assert_fires({"src/base/a.h": "#pragma once\nint A();\n"}, "a.h:1: [top-comment]")

    def test_header_that_does_not_compile_alone(self):
        self.assert_fires({"src/base/a.h": "// A.\n#pragma once\nString A();\n"},
                          "src/base/a.h:1: [header] does not compile alone",
                          "src/object/v.h:1: [header]", options=("--cxx", "g++"))

    def test_header_that_leaves_a_standard_one_to_others(self):
        self.assert_fires({"src/base/a.h": "// A.\n#pragma once\nstd::string A();\nuint8_t B();\n"},
                          "src/base/a.h:3: [std] includes no <string>",
                          "src/base/a.h:4: [std] includes no <cstdint>")
        self.assert_passes({
            "src/base/a.h": "// A.\n#pragma once\n#include <string>\nstd::string A();\n",
            "src/object/v.h": '// V.\n#pragma once\n#include "base/a.h"\n'
                              "namespace skiff::object {\ninline void V(std::string_view) {}\n}\n"})
        self.assert_fires({"src/base/a.h": "// A.\n#pragma once\nstd::rare A();\n"},
                          "src/base/a.h:3: [std] STANDARD_NAMES of tools/tidy does not know "
                          "std::rare")

    def test_header_that_a_batch_of_the_build_began_with_is_not_compiled_again(self):
        batch = self.root / "build/CMakeFiles/skiff_base.dir/Unity/unity_0_cxx.cxx"
        batch.parent.mkdir(parents=True)
        batch.write_text(f'#include "{self.root}/src/base/a.cc"\n'
                         f'#include "{self.root}/src/object/v.cc"\n')
        bad = {"src/base/a.h": "// A.\n#pragma once\nWrong A();\n"}
        build = ("--build", self.root / "build")
        self.assert_fires(bad, "src/base/a.h:1: [header]", options=build)
        made = batch.with_name(batch.name + ".o")
        made.touch()
        self.assert_fires(bad, "src/base/a.h:1: [header]", options=build)  # it is older
        os.utime(made, (2**32, 2**32))
        out = self.assert_fires(bad, "src/object/v.h:1: [header]", options=build)
        self.assertNotIn("src/base/a.h:1: [header]", out)

    def test_verdict_on_a_header_is_kept_until_something_it_includes_changes(self):
        build = ("--build", self.root / "build")
        self.assert_passes({}, options=build)
        self.assert_passes({}, options=(*build, "--cxx", "g++"))
        self.assert_fires({"src/base/a.h": "// A.\n#pragma once\nint B();\n"},
                          "src/object/v.h:1: [header]", options=build)

    def test_only_headers_that_were_changed_lately_are_compiled_if_so_asked(self):
        def git(*arguments):
            subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b",
                            *arguments], check=True, capture_output=True)

        bad = {"src/base/a.h": "// A.\n#pragma once\nString A();\n"}
        # Where there is no Git, all are.
        self.assert_fires(bad, "src/base/a.h:1: [header]", options=("--recent",))
        git("init")
        self.assert_fires(bad, "src/base/a.h:1: [header]", options=("--recent",))  # not committed
        git("add", ".")
        git("commit", "-m", "all")
        self.assert_fires(bad, "src/base/a.h:1: [header]", options=("--recent",))
        for _ in range(20):
            git("commit", "-m", "nothing", "--allow-empty")
        self.assert_passes(bad, options=("--recent",))
        changed = {"src/object/v.h": GOOD["src/object/v.h"] + "\n"}
        out = self.assert_fires({**bad, **changed}, "src/object/v.h:1: [header]",
                                options=("--recent",))
        self.assertNotIn("src/base/a.h:1: [header]", out)

    def test_headers_that_a_program_changed_by_the_hundred_are_left_to_lint(self):
        def headers_found(count):
            bad = {f"src/base/a{i}.h": "// A.\n#pragma once\nString A();\n" for i in range(count)}
            self.run_tidy(bad, "--no-headers")  # writes them
            for command in (["init"], ["add", "."], ["commit", "-m", "renamed"]):
                subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b",
                                *command], check=True, capture_output=True)
            return self.run_tidy({}, "--recent").stdout.count("[header]")

        self.assertGreaterEqual(headers_found(1), 1)
        shutil.rmtree(self.root)
        self.assertEqual(headers_found(301), 0)

    def test_generated_headers_are_found_through_the_build(self):
        (self.root / "build/made/api").mkdir(parents=True)
        (self.root / "build/made/api/core.h").write_text("struct Pod {};\n")
        (self.root / "build/compile_commands.json").write_text(
            f'[{{"directory": "{self.root}/build", "command": "g++ -Imade -c x.cc"}}]')
        self.assert_passes({"src/cli/CMakeLists.txt": "skiff_library(DEPS api)\n",
                            "src/cli/c.h": '// C.\n#pragma once\n#include "api/core.h"\n'
                                           "namespace skiff::cli {\nPod P();\n}\n",
                            "src/cli/c.cc": '#include "cli/c.h"\nnamespace skiff::cli {\n'
                                            "Pod P() { return {}; }\n}\n"},
                           options=("--build", self.root / "build"))

    def test_folder_that_declares_outside_of_its_namespace(self):
        header = '// V.\n#pragma once\n#include "base/a.h"\n'
        self.assert_fires({"src/object/v.h": header + "namespace skiff {\nstruct V {};\n}\n"},
                          "src/object/v.h:4: [namespace] skiff is opened where skiff::object is")
        self.assert_fires({"src/object/v.h": header + "namespace skiff::cli {\nclass C {\n};\n}\n"
                           "namespace skiff::object {\nclass V;\n}\n"},
                          "src/object/v.h:4: [namespace] skiff::cli is opened where skiff::object")
        self.assert_fires({"src/object/v.h": header + "inline int V() { return 1; }\n"},
                          "src/object/v.h:1: [namespace] does not open skiff::object")
        self.assert_passes({"src/object/v.h": header + "namespace skiff::cli {\nclass C;\n"
                            "template <typename T>\nstruct D;\n}  // namespace skiff::cli\n"
                            "namespace skiff::object::parts {\nclass V;\n}\n",
                            "src/object/v_test.cc": '#include "object/v.h"\n'
                            "namespace skiff::testing {\nstruct Case {};\n}\n"})

    def test_header_that_brings_a_namespace_in(self):
        self.assert_fires({"src/base/a.h": "// A.\n#pragma once\nint A();\n"
                           "inline int B() {\n  using namespace skiff::object;\n  return 1;\n}\n"},
                          "src/base/a.h:5: [namespace] a header brings no namespace into")
        self.assert_passes({"src/object/v.cc": '#include "object/v.h"\nnamespace skiff::object {\n'
                            "using namespace parts;\n}\n"})

    def test_type_that_is_defined_twice(self):
        one = "// A.\n#pragma once\nnamespace skiff {\nclass Core final : public Base {\n};\n}\n"
        other = ('#include "base/a.h"\nnamespace skiff {\nclass Core;\nstruct Core {\n};\n'
                 "struct Core::Part {\n};\n}  // namespace skiff\n")
        self.assert_fires({"src/base/a.h": one, "src/base/b.cc": other},
                          "src/base/b.cc:4: [one-definition] skiff::Core is also defined in "
                          "src/base/a.h")
        private = other.replace("struct Core {\n};",
                                "namespace {\nstruct Core {\n};\n}  // namespace")
        self.assert_passes({"src/base/a.h": one, "src/base/b.cc": private})

    def test_header_that_declares_what_its_source_does_not_define(self):
        header = "// A.\n#pragma once\nnamespace skiff {\n"
        self.assert_fires({"src/base/a.h": header + "int A();\n}\nnamespace skiff {\n"
                           "void B(const Map& m, int n);\n}\n"},
                          "src/base/a.h:7: [declares] B, which a.cc does not define")
        self.assert_fires({"src/base/a.h": header + "int A();\nextern const Kind kB;\n}\n",
                           "src/base/a.cc": '#include "base/a.h"\nint A() { return kB.a; }\n'},
                          "src/base/a.h:5: [declares] kB, which a.cc does not define")
        self.assert_fires({"src/base/lone.h": header + "int Lone();\n}\n",
                           "src/base/b.cc": '#include "base/lone.h"\nint Lone() { return 1; }\n'},
                          "src/base/lone.h:4: [declares] Lone, which lone.cc does not define")

    def test_calling_a_function_is_not_defining_it(self):
        self.assert_fires({"src/base/a.h": "// A.\n#pragma once\nint A();\nint B();\n",
                           "src/base/a.cc": '#include "base/a.h"\nint A() {\n  return B();\n}\n'},
                          "src/base/a.h:4: [declares] B")

    def test_headers_may_define_what_they_declare(self):
        self.assert_passes({
            "src/base/a.h": "// A.\n#pragma once\nint A();\nint Below(int n);\n"
                            "class C {\n  int Member();\n};\n"
                            "inline int Here() { return Call(); }\n"
                            "using F = void (*)(int);\nextern const int kTable[];\n"
                            "inline int Below(int n) { return n; }\n",
            "src/base/a.cc": '#include "base/a.h"\nint A() { return 1; }\n'
                             "const int kTable[] = {1};\n"})

    def test_folder_below_a_library(self):
        below = {"src/base/sub/s.h": "// S.\n#pragma once\nint S();\n",
                 "src/base/sub/s.cc": '#include "base/sub/s.h"\nint S() { return 1; }\n'}
        self.assert_passes({**below, "src/base/CMakeLists.txt": "skiff_library(RECURSE)\n"})
        self.assert_fires(below | {"src/base/CMakeLists.txt": "skiff_library()\n"},
                          "src/base/sub/s.cc:1: [dead]")

    def test_source_that_nothing_builds(self):
        self.assert_fires({"src/base/CMakeLists.txt": "add_library(skiff_base a.cc)\n",
                           "src/base/lost.cc": "\n"}, "src/base/lost.cc:1: [dead]")
        self.assert_fires({"tests/lost.cc": "\n"}, "tests/lost.cc:1: [dead]")

    def test_source_that_a_folder_above_builds(self):
        self.assert_passes({"tests/CMakeLists.txt": "file(GLOB golden golden/*.cc)\n",
                            "tests/golden/g.cc": "\n"})
        self.assert_fires({"tests/other/lost.cc": "\n"}, "tests/other/lost.cc:1: [dead]")

    def test_header_that_nothing_includes(self):
        self.assert_fires({"src/base/lost.h": "// L.\n#pragma once\n"}, "src/base/lost.h:1: [dead]")

    # Feature gates.

    def walk(self, *steps, **files):
        head = "### Before\n### A call, function by function\n"
        return {"ARCHITECTURE.md": head + "".join(f"1. {step}: does it.\n" for step in steps),
                "src/object/w.h": '// W.\n#pragma once\n#include "base/a.h"\n'
                                  "namespace skiff::object {\nclass W {\n public:\n"
                                  "  void Shut() { Open(); }\n  void Open();\n};\n}\n",
                "src/object/w.cc": '#include "object/w.h"\n#include "object/v.h"\n'
                                   "namespace skiff::object {\n"
                                   "void W::Open() {\n  if (V() == 1) {\n  }\n}\n"
                                   "}  // namespace\n", **files}

    def test_walk_of_functions_that_are_where_it_says(self):
        self.assert_passes(self.walk("`W::Shut` — `src/object/w.h`",
                                     "`W::Open` —\n  `src/object/w.cc`, to `V` — `src/object/v.h`"))

    def test_walk_that_names_a_function_or_file_that_is_not_there(self):
        for step, why in [("`W::Open` — `src/object/w.h`", "w.h does not define W::Open"),
                          ("`V` — `src/object/w.cc`", "w.cc does not define V"),
                          ("`W::Away` — `src/object/w.cc`", "w.cc does not define W::Away"),
                          ("`W::Open` — `w.cc`", "w.cc does not define W::Open")]:
            self.assert_fires(self.walk(step), "ARCHITECTURE.md:3: [walk]", why)

    def test_walk_that_goes_back_to_a_file(self):
        self.assert_fires(self.walk("`W::Shut` — `src/object/w.h`", "`W::Open` — `src/object/w.cc`",
                                    "`W::Shut` — `src/object/w.h`"),
                          "ARCHITECTURE.md:5: [walk] W::Shut is a step back to src/object/w.h")

    def test_walk_without_steps(self):
        self.assert_fires(self.walk("`W::Open` in `src/object/w.cc`"), "[walk] has no step")

    def test_hexadecimal_of_its_own(self):
        self.assert_fires(self.in_source('const char* k = "0123456789abcdef";\n'),
                          "a.cc:2: [hex] base/hex.h")
        self.assert_passes(self.in_source('const char* k = "0123456789";\n'))

    def test_feature_gate_that_is_declared_twice(self):
        table = {"src/base/feature_gate_table.h":
                 '// G.\n#pragma once\n#include "base/a.h"\n'
                 'constexpr FeatureGate kTable[] = {\n    {"HPAScaleToZero", kAlpha, kOff},\n};\n'}
        used = '#include "base/feature_gate_table.h"\n'
        self.assert_fires({**table, **self.in_source(used + '{"HPAScaleToZero", true},\n')},
                          "a.cc:3: [feature-gate] HPAScaleToZero")
        self.assert_passes({**table, **self.in_source(
            used + 'bool b = gates.IsOn("HPAScaleToZero") || On(Gate("HPAScaleToZero"));\n')})

    def test_feature_gates_of_a_process(self):
        for text in ('bool b = IsOn("HPAScaleToZero");\n', "static FeatureGates gates;\n",
                     "static const std::unique_ptr<const DefaultPlans> plans;\n",
                     "extern KindSettings settings;\n"):
            self.assert_fires(self.in_source(text), "[feature-gate] gates are handed down")
        self.assert_passes(self.in_source("const FeatureGates& gates = settings.gates;\n"))

    # Lengths.

    def test_long_function_is_a_counted_warning(self):
        body = "int F(int x) {\n" + lines(69, "  ++x;\n") + "}\n"
        self.assert_passes(self.in_source("namespace n {\nclass C {\n" + body + "};\n}\n"),
                           "a.cc:4: warning: [function-length] 71 lines", "(1 of them long")

    def test_long_table_and_many_short_functions_are_no_long_function(self):
        table = "const int kTable[] = {\n" + lines(80, "  1,\n") + "};\n"
        short = "namespace n {\n" + lines(80, "int F() { return 1; }\n") + "}\n"
        self.assert_passes(self.in_source(table + short), " 0 warnings")

    def test_long_file_is_a_counted_warning(self):
        self.assert_passes(self.in_source(lines(801, "//\n")),
                           "a.cc:1: warning: [file-length] 802 lines", "(1 of them long")


if __name__ == "__main__":
    unittest.main()
