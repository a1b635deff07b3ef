/// How many bytes of standard output are read at once: fewer while lines are short, because each line is an element,
/// and a read is the least that a turn of the loop does.
struct ReadSize {
    /// The fewest bytes: even if each is an empty line, elements take longer to pass on than a read.
    static let least = 256
    /// A read with more elements is followed by a smaller one.
    private static let mostElements = 128
    /// A full read with fewer is followed by a larger one: that, twice as large, has fewer than `mostElements`.
    private static let fewElements = 48

    /// The bytes of the next read.
    private(set) var bytes = ReadBuffer.smallSize

    /// - Parameters:
    ///   - elements: those of the last read.
    ///   - count: the bytes of the last read.
    mutating func adapt(toElements elements: Int, in count: Int) {
        if elements > Self.mostElements {
            bytes = max(Self.least, bytes / 2)
        } else if count == bytes, elements < Self.fewElements {
            bytes = min(ReadBuffer.size, bytes * 2)
        }
    }
}
