extension JSONPatch {
    /// What leads from `old` to `new`.
    public init(from old: JSONValue, to new: JSONValue) {
        self.init(old == new ? [] : [.replace(JSONPointer(tokens: []), new)])
    }
}
