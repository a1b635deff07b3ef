/// The bytes that a row takes in `reactors.db`, about: measured, the file is up to 15 % larger than their sum.
///
/// The texts alone would be a wrong measure: SQLite moves what does not fit on a page of the tree to pages of its own,
/// so a step with 1,100 bytes of text takes a page of 4 KiB and some more.
enum RowSpace {
    private static let page = 4096
    /// The numbers of a row, its header, and its pointer in the page.
    private static let overhead = 28
    /// The entry of a snapshot in the index.
    private static let entry = 32
    /// The most bytes of a row that stay on one page of the tree: in an index, of which `steps` consists, and a table.
    private static let (mostInIndex, mostInTable) = ((page - 12) * 64 / 255 - 23, page - 35)
    /// The fewest that stay there of a longer row.
    private static let least = (page - 12) * 32 / 255 - 23

    /// A step with this number of bytes of text.
    static func step(texts: Int) -> Int { space(texts + overhead, mostInIndex) }

    /// A snapshot with this number of bytes of text.
    static func snapshot(texts: Int) -> Int { space(texts + overhead, mostInTable) + entry }

    private static func space(_ row: Int, _ most: Int) -> Int {
        guard row > most else { return page / max((page - 8) / row, 1) }
        let rest = least + (row - least) % (page - 4)
        let local = rest <= most ? rest : least
        let pages = (row - local + page - 5) / (page - 4)
        return page / max((page - 8) / local, 1) + pages * page
    }
}
