/// A string compared by code points. `String` treats different encodings of an accented letter as equal; JSON does not,
/// so they remain distinct keys and values.
struct Characters: Hashable {
    let text: String

    init(of text: String) {
        self.text = text
    }

    static func == (one: Characters, other: Characters) -> Bool {
        let (one, other) = (one.text.utf8, other.text.utf8)
        return one.count == other.count && one.elementsEqual(other)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
