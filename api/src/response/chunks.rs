//! A rendered body in pieces, so that a long one needs no large allocation and no long copy.

use std::io::{self, Write};

use bytes::Bytes;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::response::large::{LARGE, Memory};

const CHUNK: usize = 64 * 1024;

pub(crate) struct Chunks {
    /// One part, unless the body is large. Empty for a body that is not held.
    parts: Vec<Bytes>,
    len: usize,
    /// The permit of a large body.
    memory: Option<Memory>,
}

impl Chunks {
    pub(crate) fn parts(&self) -> &[Bytes] {
        &self.parts
    }

    /// Bytes of the whole body.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn memory(&self) -> Option<&Memory> {
        self.memory.as_ref()
    }

    /// The stream of a body too long to hold.
    pub(crate) fn too_long(len: usize) -> Self {
        Self { parts: Vec::new(), len, memory: None }
    }

    pub(crate) fn is_held(&self) -> bool {
        !self.parts.is_empty()
    }

    /// An `ETag` unique to this text.
    pub(crate) fn tag(&self) -> String {
        let mut hash = Sha256::new();
        self.parts.iter().for_each(|part| hash.update(part));
        let digest = hash.finalize();
        let half: [u8; 16] = std::array::from_fn(|at| digest[at]);
        format!("\"{:032x}\"", u128::from_be_bytes(half))
    }

    pub(crate) fn held_by(self, memory: Memory) -> Self {
        Self { memory: Some(memory), ..self }
    }
}

impl From<Bytes> for Chunks {
    fn from(body: Bytes) -> Self {
        Self { len: body.len(), parts: vec![body], memory: None }
    }
}

/// Collects a body.
#[derive(Default)]
pub(crate) struct ChunkWriter {
    parts: Vec<Bytes>,
    filling: Vec<u8>,
    len: usize,
}

impl ChunkWriter {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The elements of a JSON array, which has some already or not.
    pub(crate) fn elements<T: Serialize>(&mut self, rows: &[T]) -> Result<(), serde_json::Error> {
        let mut text = Vec::new();
        for row in rows {
            if self.len + text.len() > 0 {
                text.push(b',');
            }
            serde_json::to_writer(&mut text, row)?;
        }
        self.extend(&text);
        Ok(())
    }

    /// The body between two other texts.
    pub(crate) fn finish(mut self, head: &[u8], tail: &[u8]) -> Chunks {
        let len = head.len() + self.len + tail.len();
        if len < LARGE {
            let mut whole = Vec::with_capacity(len);
            whole.extend_from_slice(head);
            self.parts.iter().for_each(|part| whole.extend_from_slice(part));
            whole.extend_from_slice(&self.filling);
            whole.extend_from_slice(tail);
            return Bytes::from(whole).into();
        }
        self.extend(tail);
        let rest = Bytes::copy_from_slice(&self.filling);
        let head = (!head.is_empty()).then(|| Bytes::copy_from_slice(head));
        let parts = head.into_iter().chain(self.parts).chain([rest]).filter(|part| !part.is_empty());
        Chunks { parts: parts.collect(), len, memory: None }
    }

    fn extend(&mut self, mut bytes: &[u8]) {
        self.len += bytes.len();
        while !bytes.is_empty() {
            if self.filling.capacity() == 0 {
                self.filling.reserve_exact(CHUNK);
            }
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.filling.len()));
            self.filling.extend_from_slice(now);
            if self.filling.len() == CHUNK {
                self.parts.push(std::mem::take(&mut self.filling).into());
            }
            bytes = later;
        }
    }
}

/// For an encoder.
impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_body() {
        for rows in [0, 1, 3_000, 90_000] {
            let rows: Vec<usize> = (0..rows).collect();
            let mut writer = ChunkWriter::default();
            rows.chunks(500).for_each(|page| writer.elements(page).unwrap());
            let chunks = writer.finish(b"{\"rows\":[", b"]}");
            let expected = serde_json::to_vec(&serde_json::json!({ "rows": rows })).unwrap();
            assert_eq!(chunks.parts().concat(), expected);
            assert_eq!(chunks.tag(), Chunks::from(Bytes::from(expected.clone())).tag());
            assert_eq!((chunks.len(), chunks.parts().len() > 1), (expected.len(), expected.len() >= LARGE));
            assert!(chunks.len() < LARGE || chunks.parts().iter().all(|part| part.len() <= CHUNK));
        }
    }
}
