internal import Glibc

/// An index in a file, which this object alone writes.
final class SystemIndexStorage: IndexStorage {
    private let path: String
    private var descriptor: Int32?

    var name: String { path }
    var exists: Bool { access(path, F_OK) == 0 }

    init(path: String) { self.path = path }

    deinit { if let descriptor { close(descriptor) } }

    private func opened() throws(FileError) -> Int32 {
        if let descriptor { return descriptor }
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_APPEND, 0o600)
        guard opened >= 0 else { throw FileError(errno) }
        descriptor = opened
        return opened
    }

    func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(FileError) -> Result {
        // An empty file would pass for a damaged one after a kill.
        guard exists else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let descriptor = try opened()
        let size = Int(try FileError.check(Int(lseek(descriptor, 0, SEEK_END))))
        guard size > 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard let bytes = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0), bytes != MAP_FAILED else {
            throw FileError(errno)
        }
        defer { munmap(bytes, size) }
        return body(UnsafeRawBufferPointer(start: bytes, count: size))
    }

    func append(_ bytes: [UInt8]) throws(FileError) {
        let descriptor = try opened()
        let size = lseek(descriptor, 0, SEEK_END)
        do throws(FileError) {
            try bytes.withUnsafeBytes { bytes in Result { () throws(FileError) in try write(bytes, to: descriptor) } }
                .get()
        } catch {
            // Half a record would hide what follows.
            ftruncate(descriptor, size)
            throw error
        }
    }

    func replace(_ body: ((UnsafeRawBufferPointer) -> Void) -> Void) throws(FileError) {
        let temporary = path + ".new"
        unlink(temporary)
        let made = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0o600)
        guard made >= 0 else { throw FileError(errno) }
        var failure: FileError?
        body { bytes in
            guard failure == nil else { return }
            do throws(FileError) { try write(bytes, to: made) } catch { failure = error }
        }
        if failure == nil, fsync(made) != 0 || rename(temporary, path) != 0 { failure = FileError(errno) }
        if let failure {
            close(made)
            unlink(temporary)
            throw failure
        }
        if let descriptor { close(descriptor) }
        descriptor = made
    }

    func keepDamaged() throws(FileError) {
        let copy = path + ".damaged"
        unlink(copy)
        _ = try FileError.check(Int(link(path, copy)))
    }

    func remove() { for name in [path, path + ".damaged", path + ".new"] { unlink(name) } }

    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(count < 0 ? errno : ENOSPC) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }
}

extension FileError {
    /// The result of a system call, or its error.
    static func check(_ result: Int) throws(FileError) -> Int {
        guard result >= 0 else { throw FileError(Glibc.errno) }
        return result
    }
}
