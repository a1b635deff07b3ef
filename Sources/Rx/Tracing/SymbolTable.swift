internal import Glibc

/// The functions of a program or library from its file's symbol table, which also names functions that an executable
/// does not export. Empty if the file is stripped or is not a 64-bit ELF file in this machine's byte order.
struct SymbolTable: @unchecked Sendable {
    // Unchecked: `file` is mapped read-only and never unmapped.
    private struct Function {
        let start: UInt64
        let size: UInt64
        /// The position of its name in the file.
        let name: Int
    }

    private static let known = Locked<[String: SymbolTable]>([:])

    private let file: UnsafeRawBufferPointer
    /// Ordered by `start`.
    private let functions: [Function]

    private init(_ file: UnsafeRawBufferPointer) {
        self.file = file
        functions = SymbolTable.functions(in: file)
    }

    static func of(_ image: String) -> SymbolTable {
        if let table = known.withLock({ $0[image] }) { return table }
        let table = SymbolTable(map(image))
        known.withLock { $0[image] = table }
        return table
    }

    func symbol(at offset: UInt64) -> String? {
        var low = 0, high = functions.count
        while low < high {
            let middle = (low + high) / 2
            if functions[middle].start <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let function = functions[low - 1]
        guard offset < function.start + max(function.size, 1), function.name < file.count else { return nil }
        return String(decoding: file[function.name...].prefix { $0 != 0 }, as: UTF8.self)
    }

    // MARK: - The file

    /// The layout of an ELF file: its header, section headers, and symbols.
    private enum Layout {
        static let sectionsOffset = 0x28, sectionSize = 0x3A, sectionCount = 0x3C
        static let sectionType = 0x04, sectionOffset = 0x18, sectionLength = 0x20, sectionLink = 0x28
        static let symbolTableType: UInt32 = 2
        static let symbolSize = 24, symbolInfo = 4, symbolValue = 8, symbolLength = 16
        static let functionType: UInt8 = 2
    }

    /// Maps the file. Two threads may both map it on first use, which is harmless.
    private static func map(_ image: String) -> UnsafeRawBufferPointer {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        let file = open(image, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return none }
        defer { close(file) }
        var facts = stat()
        guard fstat(file, &facts) == 0, facts.st_size > 0 else { return none }
        let length = Int(facts.st_size)
        guard let start = mmap(nil, length, PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED else { return none }
        return UnsafeRawBufferPointer(start: start, count: length)
    }

    private static func functions(in file: UnsafeRawBufferPointer) -> [Function] {
        func load<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number? {
            guard offset >= 0, offset <= file.count - MemoryLayout<Number>.size else { return nil }
            return file.loadUnaligned(fromByteOffset: offset, as: type)
        }
        guard file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2]),
            let sections = load(Layout.sectionsOffset, as: UInt64.self),
            let sectionSize = load(Layout.sectionSize, as: UInt16.self),
            let sectionCount = load(Layout.sectionCount, as: UInt16.self)
        else { return [] }
        func section(_ index: Int) -> (type: UInt32, offset: Int, length: Int, link: Int)? {
            let header = Int(sections) + index * Int(sectionSize)
            guard let type = load(header + Layout.sectionType, as: UInt32.self),
                let offset = load(header + Layout.sectionOffset, as: UInt64.self),
                let length = load(header + Layout.sectionLength, as: UInt64.self),
                let link = load(header + Layout.sectionLink, as: UInt32.self)
            else { return nil }
            return (type, Int(offset), Int(length), Int(link))
        }
        var found: [Function] = []
        for index in 0..<Int(sectionCount) {
            guard let symbols = section(index), symbols.type == Layout.symbolTableType,
                let names = section(symbols.link)
            else { continue }
            for symbol in stride(from: symbols.offset, to: symbols.offset + symbols.length, by: Layout.symbolSize) {
                guard let info = load(symbol + Layout.symbolInfo, as: UInt8.self), info & 0xF == Layout.functionType,
                    let name = load(symbol, as: UInt32.self),
                    let value = load(symbol + Layout.symbolValue, as: UInt64.self), value != 0,
                    let size = load(symbol + Layout.symbolLength, as: UInt64.self)
                else { continue }
                found.append(Function(start: value, size: size, name: names.offset + Int(name)))
            }
        }
        return found.sorted { $0.start < $1.start }
    }
}
