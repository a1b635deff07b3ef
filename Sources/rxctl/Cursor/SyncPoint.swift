internal import RxJSON

/// A part of the output that is known to be on the disk: its lines are exactly those up to a cursor.
struct SyncPoint: Equatable {
    /// The output's inode. A device may have another number after a boot.
    let file: Int
    /// The bytes from the output's start.
    let size: Int
    let cursor: String
}

extension SyncPoint {
    init?(_ value: JSONValue) {
        guard let file = value["inode"]?.int, let size = value["synced"]?.int, let cursor = value["through"]?.string,
            size >= 0, CursorText.isCursor(cursor)
        else { return nil }
        self.init(file: file, size: size, cursor: cursor)
    }

    /// Adds itself to the second line of a cursor file.
    func add(to facts: inout JSONObject) {
        facts["inode"] = JSONValue(file)
        facts["synced"] = JSONValue(size)
        facts["through"] = .string(cursor)
    }
}
