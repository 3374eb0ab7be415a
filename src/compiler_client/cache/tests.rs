//! The cache with folders and entries in every bad state.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use oxicl_abi::{Image, KernelFacts};
use oxicl_protocol::{FileSeen, SourceModule};

use super::{Cache, Contents, Unusable, clear, contents, evict, usable};
use crate::regular::impostors;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("oxicl-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn cache(&self) -> Option<Cache> {
        self.cache_of("1.2.3+abc")
    }

    /// Of the library of a build.
    fn cache_of(&self, build: &str) -> Option<Cache> {
        Cache::open(&self.0.join("cache"), &self.compiler(), build)
    }

    fn compiler(&self) -> PathBuf {
        let path = self.0.join("compiler");
        if !path.exists() {
            fs::write(&path, b"a compiler").expect("written");
        }
        path
    }

    fn entries(&self) -> Vec<PathBuf> {
        let listing = fs::read_dir(self.0.join("cache")).expect("a folder");
        listing.flatten().map(|f| f.path()).filter(|p| p.to_string_lossy().ends_with(evict::ENTRY)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn image() -> Image {
    Image {
        code: (0..200).collect(),
        data: vec![7; 100],
        fixups: vec![4096],
        kernels: vec![KernelFacts { name: "k".into(), lanes: 1, sub_group_size: 1, ..KernelFacts::default() }],
        ..Image::default()
    }
}

#[test]
fn an_image_is_found_again_by_the_same_request_only() {
    let folder = Folder::new("found");
    let cache = folder.cache().expect("a cache");
    assert_eq!(cache.find::<Image>(&cache.key::<Image>(b"request")), None);
    cache.keep(&cache.key::<Image>(b"request"), &image());
    assert_eq!(cache.find::<Image>(&cache.key::<Image>(b"request")), Some(image()));
    assert_eq!(cache.find::<Image>(&cache.key::<Image>(b"another")), None);
    let again = folder.cache().expect("a cache");
    assert_eq!(again.find::<Image>(&again.key::<Image>(b"request")), Some(image()), "the key is kept in the folder");
}

#[test]
fn a_module_of_source_is_found_while_the_files_that_it_includes_are_as_they_were() {
    let folder = Folder::new("source");
    let cache = folder.cache().expect("a cache");
    let header = folder.0.join("header.h");
    fs::write(&header, b"one").expect("written");
    let files = vec![FileSeen { path: header.clone(), content: Some(*blake3::hash(b"one").as_bytes()) }];
    let module = SourceModule { spirv: vec![1, 2], log: "a warning".into(), files, has_time: false, rest: vec![3] };
    let key = cache.key::<SourceModule>(b"request");
    cache.keep(&key, &module);
    assert_eq!(cache.find::<SourceModule>(&key), Some(module));
    assert_eq!(cache.find::<Image>(&cache.key::<Image>(b"request")), None, "an image is something else");
    fs::write(&header, b"two").expect("written");
    assert_eq!(cache.find::<SourceModule>(&key), None);
}

#[test]
fn another_compiler_finds_nothing() {
    let folder = Folder::new("compiler");
    let cache = folder.cache().expect("a cache");
    cache.keep(&cache.key::<Image>(b"request"), &image());
    fs::write(folder.compiler(), b"a newer compiler").expect("written");
    let newer = folder.cache().expect("a cache");
    assert_eq!(newer.find::<Image>(&newer.key::<Image>(b"request")), None);
}

#[test]
fn a_library_of_another_build_finds_nothing() {
    let folder = Folder::new("build");
    let cache = folder.cache().expect("a cache");
    cache.keep(&cache.key::<Image>(b"request"), &image());
    let other = folder.cache_of("1.2.3+def").expect("a cache");
    assert_eq!(other.find::<Image>(&other.key::<Image>(b"request")), None);
}

#[test]
fn an_entry_that_was_touched_is_a_miss() {
    let folder = Folder::new("touched");
    let cache = folder.cache().expect("a cache");
    let key = cache.key::<Image>(b"request");
    cache.keep(&key, &image());
    let path = folder.entries().pop().expect("an entry");
    let good = fs::read(&path).expect("read");
    for at in [0, 31, 32, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        fs::write(&path, bad).expect("written");
        assert_eq!(cache.find::<Image>(&key), None, "byte {at}");
    }
    for length in [0, 31, 32, good.len() - 1] {
        fs::write(&path, &good[..length]).expect("written");
        assert_eq!(cache.find::<Image>(&key), None, "length {length}");
    }
    fs::write(&path, &good).expect("written");
    assert_eq!(cache.find::<Image>(&key), Some(image()));
}

#[test]
fn an_entry_under_the_name_of_another_is_a_miss() {
    let folder = Folder::new("renamed");
    let cache = folder.cache().expect("a cache");
    cache.keep(&cache.key::<Image>(b"one"), &image());
    let path = folder.entries().pop().expect("an entry");
    let other = cache.key::<Image>(b"two");
    fs::rename(path, cache.path(&other)).expect("renamed");
    assert_eq!(cache.find::<Image>(&other), None);
}

#[test]
fn a_folder_that_others_may_write_to_is_refused() {
    let folder = Folder::new("open");
    assert!(folder.cache().is_some());
    let path = folder.0.join("cache");
    for (mode, used) in [(0o720, false), (0o702, false), (0o777, false), (0o755, true)] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("changed");
        assert_eq!(folder.cache().is_some(), used, "{mode:o}");
    }
}

#[test]
fn a_link_to_a_folder_is_refused() {
    let folder = Folder::new("link");
    let real = folder.0.join("real");
    fs::create_dir(&real).expect("created");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o700)).expect("changed");
    symlink(&real, folder.0.join("cache")).expect("linked");
    assert!(folder.cache().is_none());
}

#[test]
fn a_key_that_others_may_read_is_refused() {
    let folder = Folder::new("key");
    assert!(folder.cache().is_some());
    let key = folder.0.join("cache").join("key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("changed");
    assert!(folder.cache().is_none());
}

#[test]
fn an_entry_that_is_no_plain_file_is_a_miss() {
    let folder = Folder::new("impostor-entry");
    let cache = folder.cache().expect("a cache");
    let key = cache.key::<Image>(b"request");
    cache.keep(&key, &image());
    let path = folder.entries().pop().expect("an entry");
    impostors::each(&path, |what| assert_eq!(cache.find::<Image>(&key), None, "{what}"));
    assert_eq!(cache.find::<Image>(&key), Some(image()));
}

#[test]
fn a_key_that_is_no_plain_file_is_refused() {
    let folder = Folder::new("impostor-key");
    assert!(folder.cache().is_some());
    let key = folder.0.join("cache").join("key");
    impostors::each(&key, |what| assert!(folder.cache().is_none(), "{what}"));
    assert!(folder.cache().is_some());
}

#[test]
fn a_compiler_that_is_no_plain_file_has_no_cache() {
    let folder = Folder::new("impostor-compiler");
    let compiler = folder.compiler();
    impostors::each(&compiler, |what| assert!(folder.cache().is_none(), "{what}"));
    assert!(folder.cache().is_some());
}

#[test]
fn the_oldest_entries_go_first() {
    let folder = Folder::new("evict");
    let names: Vec<PathBuf> = (0..8).map(|n| folder.0.join(format!("{n}{}", evict::ENTRY))).collect();
    for (age, path) in names.iter().enumerate() {
        fs::write(path, [0; 100]).expect("written");
        let file = fs::OpenOptions::new().write(true).open(path).expect("opened");
        file.set_modified(SystemTime::now() - Duration::from_secs(1000 - age as u64)).expect("aged");
    }
    evict::evict(&folder.0, 800);
    assert_eq!(names.iter().filter(|path| path.exists()).count(), 8, "not above the limit");
    evict::evict(&folder.0, 799);
    let left: Vec<bool> = names.iter().map(|path| path.exists()).collect();
    assert_eq!(left, [false, false, true, true, true, true, true, true]);
}

#[test]
fn clearing_removes_entries_and_leaves_the_key_and_what_is_not_the_caches() {
    let folder = Folder::new("clear");
    let path = folder.0.join("cache");
    assert_eq!(contents(&path).expect("no folder"), Contents::default());
    let cache = folder.cache().expect("a cache");
    cache.keep(&cache.key::<Image>(b"one"), &image());
    cache.keep(&cache.key::<Image>(b"two"), &image());
    let foreign = [path.join("notes.entry"), path.join("picture.png")];
    foreign.iter().for_each(|file| fs::write(file, b"mine").expect("written"));
    let full = contents(&path).expect("read");
    assert!(full.entries == 2 && full.bytes > 600, "{full:?}");
    assert_eq!(clear(&path).expect("cleared"), full);
    assert_eq!(contents(&path).expect("read"), Contents::default());
    assert!(foreign.iter().chain([&path.join("key")]).all(|file| file.exists()));
}

#[test]
fn what_keeps_a_cache_from_being_used_is_told() {
    let folder = Folder::new("usable");
    let path = folder.0.join("cache");
    assert_eq!(usable(&path), Ok(()), "it is made");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o775)).expect("changed");
    assert_eq!(usable(&path), Err(Unusable::WritableByOthers(0o775)));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("changed");
    fs::write(path.join("key"), b"short").expect("written");
    assert!(matches!(usable(&path), Err(Unusable::Other(why)) if why.contains("key")));
    fs::remove_dir_all(&path).expect("removed");
    fs::write(&path, b"").expect("written");
    assert_eq!(usable(&path), Err(Unusable::NoFolder));
    assert!(matches!(usable(&path.join("below")), Err(Unusable::NotMade(_))));
}
