use crate::entry::entries;

entries! {
    slots {}
    others {}
    aliases {}
}
