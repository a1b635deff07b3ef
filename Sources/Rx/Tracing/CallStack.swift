internal import Glibc

/// Captures and names call stacks without Foundation.
enum CallStack {
    /// Enough frames to reach from a subscription to the application's function.
    private static let maximumDepth = 64

    struct Frame: CustomStringConvertible, Sendable {
        let address: UInt
        /// The file of the program or library.
        let image: String
        /// The mangled name; nil if the image is stripped.
        let symbol: String?

        var function: String? { symbol.map(CallStack.demangled) }

        var description: String {
            function ?? "\(image.split(separator: "/").last ?? "?") 0x\(String(address, radix: 16))"
        }
    }

    /// Returns the return addresses from this function's caller on. Cheap; they are named later.
    @inline(never)
    static func addresses() -> [UInt] {
        guard let backtrace = Library.backtrace else { return [] }
        var found = [UnsafeMutableRawPointer?](repeating: nil, count: maximumDepth)
        let count = backtrace(&found, Int32(maximumDepth))
        return found[..<Int(count)].dropFirst().map { UInt(bitPattern: $0) }
    }

    @inline(never)
    static func here() -> [Frame] { Array(frames(addresses()).dropFirst()) }

    static func frames(_ addresses: [UInt]) -> [Frame] {
        // A return address follows the call, which may be the last instruction of its function.
        var pointers = addresses.map { UnsafeMutableRawPointer(bitPattern: $0 &- 1) }
        guard let texts = Library.backtraceSymbols?(&pointers, Int32(addresses.count)) else { return [] }
        defer { free(texts) }
        return addresses.indices.map { index in
            frame(addresses[index], texts[index].map { String(cString: $0) } ?? "")
        }
    }

    /// Parses `image(symbol+offset) [address]`. If the symbol is missing, the offset is relative to the image.
    private static func frame(_ address: UInt, _ text: String) -> Frame {
        let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
        let image = String(parts[0])
        guard parts.count == 2, let end = parts[1].firstIndex(of: ")") else {
            return Frame(address: address, image: image, symbol: nil)
        }
        let place = parts[1][..<end].split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        if let symbol = place.first, !symbol.isEmpty {
            return Frame(address: address, image: image, symbol: String(symbol))
        }
        let offset = place.count == 2 ? UInt64(place[1].dropFirst(2), radix: 16) : nil
        return Frame(
            address: address, image: image, symbol: offset.flatMap { SymbolTable.of(image).symbol(at: $0) })
    }

    static func demangled(_ symbol: String) -> String {
        guard symbol.hasPrefix("$s"), let demangle = Library.demangle else { return symbol }
        guard let text = symbol.withCString({ demangle($0, symbol.utf8.count, nil, nil, 0) }) else { return symbol }
        defer { free(text) }
        return String(cString: text)
    }

    /// Functions that neither the Glibc module nor Swift's runtime exports; looked up by name, nil if missing.
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

/// Writes text to standard error.
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
