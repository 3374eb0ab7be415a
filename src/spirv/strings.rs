//! Literal strings: UTF-8 bytes packed into words, low byte first, ended by a zero byte.

/// A string at the start of `words` and the number of words it takes; `None` if no zero byte ends it. Bytes that are no
/// UTF-8 become replacement characters.
pub fn decode_string(words: &[u32]) -> Option<(String, usize)> {
    let length = string_words(words)?;
    let bytes: Vec<u8> = words.get(..length)?.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    Some((String::from_utf8_lossy(text).into_owned(), length))
}

/// The bytes of the string at the start of `words`, without the zero byte that ends it; `None` if none does.
pub fn string_bytes(words: &[u32]) -> Option<Vec<u8>> {
    let length = string_words(words)?;
    let bytes = words.get(..length)?.iter().flat_map(|word| word.to_le_bytes());
    Some(bytes.take_while(|&byte| byte != 0).collect())
}

/// `text` as words.
pub fn encode_string(text: &str) -> Vec<u32> {
    let mut bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.as_chunks::<4>().0.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect()
}

/// How many words the string at the start of `words` takes.
pub(crate) fn string_words(words: &[u32]) -> Option<usize> {
    words.iter().position(|word| word.to_le_bytes().contains(&0)).map(|last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::{decode_string, encode_string};

    #[test]
    fn strings_survive_encoding() {
        for text in ["", "a", "abc", "abcd", "OpenCL.std", "naïve"] {
            let words = encode_string(text);
            assert_eq!(decode_string(&words), Some((text.to_owned(), words.len())));
        }
    }

    #[test]
    fn a_string_without_end_is_none() {
        assert_eq!(decode_string(&[0x6161_6161]), None);
        assert_eq!(decode_string(&[]), None);
    }
}
