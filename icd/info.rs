//! The info writer: an answer as the bytes of its C type.

use std::sync::Arc;

use oxicl_objects::{ApiError, InfoValue};

use crate::handle::{self, ApiObject};

/// The bytes of an answer.
pub fn bytes(value: InfoValue) -> Result<Vec<u8>, ApiError> {
    Ok(match value {
        InfoValue::U32(value) => value.to_ne_bytes().to_vec(),
        InfoValue::U64(value) => value.to_ne_bytes().to_vec(),
        InfoValue::Size(value) | InfoValue::Address(value) => value.to_ne_bytes().to_vec(),
        InfoValue::Bool(value) => u32::from(value).to_ne_bytes().to_vec(),
        InfoValue::Str(text) => {
            let mut bytes = text.into_bytes();
            bytes.push(0);
            bytes
        }
        InfoValue::Bytes(bytes) => bytes,
        InfoValue::StrPointers(strings) => {
            // The pointers stay valid: the strings live as long as the process.
            strings.iter().flat_map(|text| text.as_ptr().expose_provenance().to_ne_bytes()).collect()
        }
        InfoValue::Null => 0usize.to_ne_bytes().to_vec(),
        InfoValue::Platform(object) => address(&object)?,
        InfoValue::Device(object) => address(&object)?,
        InfoValue::Devices(objects) => {
            let mut bytes = Vec::new();
            for object in &objects {
                bytes.extend(address(object)?);
            }
            bytes
        }
        InfoValue::Context(object) => address(&object)?,
        InfoValue::Queue(object) => address(&object)?,
        InfoValue::Memory(object) => address(&object)?,
        InfoValue::Program(object) => address(&object)?,
        InfoValue::Kernel(object) => address(&object)?,
        InfoValue::CommandBuffer(object) => address(&object)?,
        // `Call::info` answers these: it knows the handle, and the application's own pointers.
        InfoValue::ReferenceCount | InfoValue::Binaries(_) => return Err(ApiError::InvalidValue),
    })
}

/// A handle, as bytes.
fn address<T: ApiObject>(object: &Arc<T>) -> Result<Vec<u8>, ApiError> {
    Ok(handle::handle_of(object)?.as_opaque().expose_provenance().to_ne_bytes().to_vec())
}
