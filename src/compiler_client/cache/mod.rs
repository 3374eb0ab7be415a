//! The on-disk cache of what the compiler made.
//!
//! An entry is a file named after a keyed hash of everything that it depends on; files that source includes are checked
//! again by each hit. It starts with a keyed hash of its content. The key is random and readable by its user alone, so
//! nobody else can make an entry that is believed. Whatever is wrong with an entry makes it a miss.

mod contents;
mod evict;
mod folder;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use blake3::Hash;
use oxicl_protocol::{LARGEST_FRAME, decode, encode};

pub use contents::{Contents, Unusable, clear, contents, is_usable, usable};

use crate::identity;
use crate::product::Product;
use crate::regular::{self, Links};

/// Size of the hash before the content, in bytes.
const SEAL: usize = blake3::OUT_LEN;

/// Digits in the name of an entry: those of its hash.
const ENTRY_NAME: usize = 2 * blake3::OUT_LEN;

/// A bound, in bytes, on what is read of an entry: entries keep answers, which are no larger.
const LARGEST_ENTRY: u64 = LARGEST_FRAME as u64 + SEAL as u64;

/// A hit renews an entry's time if that is older than this, as the oldest entries are dropped first.
const RENEW: Duration = Duration::from_secs(60 * 60);

/// A cache that may be used.
pub(crate) struct Cache {
    folder: PathBuf,
    key: [u8; 32],
    identity: Vec<u8>,
    /// Bytes stored since the folder's size was last looked at.
    stored: AtomicU64,
}

/// The hash that names an entry, and that its content is tied to.
pub(crate) struct Key(Hash);

/// Makes the keys of requests that begin alike; the beginning is hashed once.
pub(crate) struct Keys(blake3::Hasher);

impl Keys {
    /// The key of a request, by what follows the beginning.
    pub(crate) fn key(&self, rest: &[u8]) -> Key {
        Key(self.0.clone().update(rest).finalize())
    }
}

impl Cache {
    /// Opens the cache in `folder` for what `compiler` makes for the library of a `build`; `None` if it may not be
    /// used. Keys depend on the build, too: the compiler's file may have been exchanged for one whose entries the
    /// library would misread.
    pub(crate) fn open(folder: &Path, compiler: &Path, build: &str) -> Option<Cache> {
        // The folder first: if it may not be used, the next request tries again, and must not read a whole compiler.
        let key = folder::prepare(folder)?;
        let mut identity = identity::identity(compiler).ok()?;
        identity.extend(build.as_bytes());
        Some(Cache { folder: folder.to_owned(), key, identity, stored: AtomicU64::new(evict::LOOK_EVERY) })
    }

    /// The key of a request, given in serialised form.
    pub(crate) fn key<P: Product>(&self, request: &[u8]) -> Key {
        self.keys::<P>(request).key(&[])
    }

    /// Makes the keys of requests that begin with `start`.
    pub(crate) fn keys<P: Product>(&self, start: &[u8]) -> Keys {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(P::FORMAT.as_bytes());
        hasher.update(&(self.identity.len() as u64).to_le_bytes());
        hasher.update(&self.identity);
        hasher.update(start);
        Keys(hasher)
    }

    fn seal(&self, key: &Key, content: &[u8]) -> Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(key.0.as_bytes());
        hasher.update(content);
        hasher.finalize()
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}{}", key.0.to_hex(), evict::ENTRY))
    }

    /// What is kept under a key, if it still holds.
    pub(crate) fn find<P: Product>(&self, key: &Key) -> Option<P> {
        let (file, metadata) = regular::open(&self.path(key), Links::Refuse, LARGEST_ENTRY).ok()?;
        let mut bytes = Vec::new();
        (&file).take(LARGEST_ENTRY).read_to_end(&mut bytes).ok()?;
        let (seal, content) = bytes.split_first_chunk::<SEAL>()?;
        // Compared in constant time by the hash's own equality.
        if self.seal(key, content) != Hash::from_bytes(*seal) {
            return None;
        }
        let product = decode::<P>(content).ok().filter(Product::is_current)?;
        if metadata.modified().ok().and_then(|time| time.elapsed().ok()).is_some_and(|age| age > RENEW) {
            // Failure only makes the entry go earlier.
            let _ = file.set_modified(SystemTime::now());
        }
        Some(product)
    }

    /// Stores what the compiler made. Failure to do so is not an error of the build.
    pub(crate) fn keep<P: Product>(&self, key: &Key, product: &P) {
        let Ok(content) = encode(product) else { return };
        let Ok((mut file, temporary)) = folder::temporary(&self.folder) else { return };
        let written = file.write_all(self.seal(key, &content).as_bytes()).and_then(|()| file.write_all(&content));
        if written.and_then(|()| fs::rename(&temporary, self.path(key))).is_err() {
            let _ = fs::remove_file(&temporary);
            return;
        }
        let length = content.len() as u64;
        if self.stored.fetch_add(length, Ordering::Relaxed) >= evict::LOOK_EVERY {
            self.stored.store(0, Ordering::Relaxed);
            evict::evict(&self.folder, evict::LARGEST);
        }
    }
}

#[cfg(test)]
mod tests;
