internal import Glibc

/// Who called whom, without Foundation.
enum CallStack {
    /// Enough for the way from a subscription to the function of the application that made it.
    private static let maximumDepth = 64

    struct Frame: CustomStringConvertible, Sendable {
        let address: UInt
        /// The file of the program or library.
        let image: String
        /// As the linker knows it; nil when the image was stripped of it.
        let symbol: String?

        var function: String? { symbol.map(CallStack.demangled) }

        var description: String {
            function ?? "\(image.split(separator: "/").last ?? "?") 0x\(String(address, radix: 16))"
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
    static func here() -> [Frame] { Array(frames(addresses()).dropFirst()) }

    static func frames(_ addresses: [UInt]) -> [Frame] {
        // A return address is behind the call, which may be the last thing in its function.
        var pointers = addresses.map { UnsafeMutableRawPointer(bitPattern: $0 &- 1) }
        guard let texts = Library.backtraceSymbols?(&pointers, Int32(addresses.count)) else { return [] }
        defer { free(texts) }
        return addresses.indices.map { index in
            frame(addresses[index], texts[index].map { String(cString: $0) } ?? "")
        }
    }

    /// From `image(symbol+offset) [address]`, in which the symbol may be missing and the offset is then one into the image.
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
