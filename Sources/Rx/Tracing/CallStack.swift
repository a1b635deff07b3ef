internal import Glibc

/// Who called whom, without Foundation.
enum CallStack {
    /// Enough for the way from a subscription to the function of the application that made it.
    private static let maximumDepth = 64

    struct Frame: CustomStringConvertible, Sendable {
        let address: UInt
        /// As the linker knows it; nil for a function that is not exported.
        let symbol: String?
        let image: String

        var function: String? { symbol.map(CallStack.demangled) }

        var description: String {
            function ?? "\(image.split(separator: "/").last ?? "?")+0x\(String(address, radix: 16))"
        }
    }

    /// The return addresses, from the caller of this function on: cheap, to be named later.
    @inline(never)
    static func addresses() -> [UInt] {
        guard let backtrace = Library.backtrace else { return [] }
        var found = [UnsafeMutableRawPointer?](repeating: nil, count: maximumDepth)
        let count = backtrace(&found, Int32(maximumDepth))
        return found[..<Int(count)].dropFirst().map { UInt(bitPattern: $0) }
    }

    @inline(never)
    static func here() -> [Frame] { frames(addresses()).dropFirst().map { $0 } }

    static func frames(_ addresses: [UInt]) -> [Frame] {
        var pointers = addresses.map { UnsafeMutableRawPointer(bitPattern: $0) }
        guard let symbols = Library.backtraceSymbols?(&pointers, Int32(addresses.count)) else { return [] }
        defer { free(symbols) }
        return addresses.indices.map { index in
            // `image(symbol+offset) [address]`, the symbol often empty.
            let text = symbols[index].map { String(cString: $0) } ?? ""
            let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
            let symbol = parts.count == 2 ? parts[1].prefix { $0 != "+" && $0 != ")" } : ""
            return Frame(
                address: addresses[index], symbol: symbol.isEmpty ? nil : String(symbol), image: String(parts[0]))
        }
    }

    static func demangled(_ symbol: String) -> String {
        guard symbol.hasPrefix("$s"), let demangle = Library.demangle else { return symbol }
        guard let text = symbol.withCString({ demangle($0, symbol.utf8.count, nil, nil, 0) }) else { return symbol }
        defer { free(text) }
        return String(cString: text)
    }

    /// What the Glibc module does not offer by itself, nor Swift's runtime; looked up by name, absent where it is absent.
    private enum Library {
        typealias Backtrace = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
        typealias BacktraceSymbols =
            @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) ->
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        typealias Demangle =
            @convention(c) (UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32)
            -> UnsafeMutablePointer<CChar>?

        static let backtrace = dlsym(nil, "backtrace").map { unsafeBitCast($0, to: Backtrace.self) }
        static let backtraceSymbols = dlsym(nil, "backtrace_symbols").map {
            unsafeBitCast($0, to: BacktraceSymbols.self)
        }
        static let demangle = dlsym(nil, "swift_demangle").map { unsafeBitCast($0, to: Demangle.self) }
    }
}

/// Standard error, a text at a time.
enum StandardError {
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
                if count <= 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
