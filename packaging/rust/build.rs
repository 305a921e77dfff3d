//! Compiles the library, c/*.c, by the C compiler: `$CC $CFLAGS`, or cc.  In lfbloom's own tree,
//! where there is no c/, it first makes those files from the tree.

use std::path::{Path, PathBuf};
use std::process::{exit, Command, Stdio};
use std::{env, fs, io::Write};

fn die(message: &str) -> ! {
    eprintln!("lfbloom: {message}");
    exit(1)
}

/// The words of an environment variable, or the default.
fn words(name: &str, default: &str) -> Vec<String> {
    println!("cargo:rerun-if-env-changed={name}");
    let value = env::var(name).unwrap_or_else(|_| default.into());
    value.split_whitespace().map(String::from).collect()
}

fn run(command: &mut Command, what: &str) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(_) => die(&format!("{what} failed: {command:?}")),
        Err(error) => die(&format!("{what} cannot be run: {error}: {command:?}")),
    }
}

/// The folder with lfbloom.h and the sources.
fn amalgamation(out: &Path) -> PathBuf {
    let there = Path::new("c");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=c");
    if there.exists() {
        return there.into();
    }
    let heads = "packaging/amalgamation.c packaging/amalgamation.h packaging/amalgamation_versions.c";
    for part in "atomic bloom include tools".split(' ').chain(heads.split(' ')) {
        println!("cargo:rerun-if-changed=../../{part}");
    }
    let make = "tools/amalgamate.sh \"$0\" $(find atomic bloom -name '*.c')";
    run(Command::new("bash").args(["-c", make]).arg(out).current_dir("../.."), "tools/amalgamate.sh (libxxhash-dev)");
    out.into()
}

/// Status::NAME for each status of the header's list.
fn statuses(header: &str) -> String {
    let mut list = String::from("impl Status {\n");
    for row in header.split("X(LFB_").skip(1) {
        let mut fields = row.split(',').map(str::trim);
        let (name, number) = (fields.next().unwrap(), fields.next().unwrap());
        if let Ok(number) = number.parse::<u32>() {
            let text = row.split('"').nth(1).unwrap();
            let name = name.trim_start_matches("ERROR_");
            list += &format!("#[doc = \"`{text}`\"]\npub const {name}: Status = Status({number});\n");
        }
    }
    list + "}\n"
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let from = amalgamation(&out);
    let page = if Path::new("README.md").exists() { "README.md" } else { "../../docs/rust.md" };
    println!("cargo:rerun-if-changed={page}");
    fs::copy(page, out.join("README.md")).unwrap_or_else(|e| die(&format!("{page}: {e}")));
    let header = fs::read_to_string(from.join("lfbloom.h")).unwrap_or_else(|e| die(&format!("c/lfbloom.h: {e}")));
    fs::write(out.join("status.rs"), statuses(&header)).unwrap();

    let cc = words("CC", "cc");
    let compiler = || {
        let mut command = Command::new(&cc[0]);
        command.args(&cc[1..]).args(words("CFLAGS", ""));
        command
    };
    let mut look = compiler();
    look.args(["-fsyntax-only", "-x", "c", "-"]).stdin(Stdio::piped()).stderr(Stdio::null());
    let mut look = look.spawn().unwrap_or_else(|e| die(&format!("no C compiler: {}: {e}", cc[0])));
    look.stdin.take().unwrap().write_all(b"#include <ck_epoch.h>\n").unwrap();
    if !look.wait().unwrap().success() {
        die("<ck_epoch.h> of ConcurrencyKit is missing; on Debian and Ubuntu: apt-get install libck-dev");
    }
    let release = if env::var("PROFILE").unwrap() == "release" { "-DNDEBUG" } else { "-UNDEBUG" };
    let objects = ["lfbloom", "lfbloom_versions"].map(|name| {
        let object = out.join(name).with_extension("o");
        let source = from.join(name).with_extension("c");
        let flags = ["-std=c11", "-O2", release, "-fPIC", "-c", "-o"];
        run(compiler().args(flags).args([&object, &source]), "the C compiler");
        object
    });
    let ar = words("AR", "ar");
    let archive = out.join("liblfbloom.a");
    let _ = fs::remove_file(&archive);
    run(Command::new(&ar[0]).args(&ar[1..]).arg("crs").arg(&archive).args(&objects), "ar");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=lfbloom");

    // ConcurrencyKit's archive, if the compiler knows one, so that programs do not need libck.so.
    let found = compiler().arg("-print-file-name=libck.a").output().map(|o| o.stdout).unwrap_or_default();
    match Path::new(String::from_utf8_lossy(&found).trim()).parent() {
        Some(folder) if folder.is_absolute() => {
            println!("cargo:rustc-link-search=native={}", folder.display());
            println!("cargo:rustc-link-lib=static=ck");
        }
        _ => println!("cargo:rustc-link-lib=ck"),
    }
    println!("cargo:rustc-link-lib=m");
}
