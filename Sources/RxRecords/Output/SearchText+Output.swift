extension SearchText {
    /// Whether what is kept of an execution's output contains the text: an element as JSON, or its strings without
    /// escapes; or its standard error.
    public func isIn(_ output: KeptOutput) -> Bool {
        if output.elements.kept.contains(where: { isIn(json: $0.text) }) { return true }
        var text: [UInt8] = []
        var end = 0
        for piece in output.errors.kept {
            if piece.offset > end {
                // What is missing between separates what is there.
                if isIn(text) { return true }
                text = []
            }
            text += piece.bytes
            end = piece.end
        }
        return isIn(text)
    }

    private func isIn(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer { isIn($0) } }
}
