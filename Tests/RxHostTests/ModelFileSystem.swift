import CSQLite
import Glibc

/// A file system of SQLite that reports to a `ModelDisk` what is written, synced, and removed. The files are those of
/// the default file system.
///
/// Each file of SQLite's is a `ModelFile` here, in front of one of the default file system.
final class ModelFileSystem {
    /// What SQLite sees of an open file.
    fileprivate struct ModelFile {
        var base: sqlite3_file
        var real: UnsafeMutablePointer<sqlite3_file>
        var path: UnsafeMutablePointer<CChar>
        var disk: Unmanaged<ModelDisk>
    }

    let name: String
    private let table: UnsafeMutablePointer<sqlite3_vfs>
    private let cName: UnsafeMutablePointer<CChar>

    /// Registers it with SQLite until it is released. The disk must live as long.
    init(_ name: String, _ disk: ModelDisk) {
        self.name = name
        cName = strdup(name)
        table = .allocate(capacity: 1)
        table.initialize(to: sqlite3_vfs_find(nil).pointee)
        table.pointee.szOsFile = Int32(MemoryLayout<ModelFile>.size)
        table.pointee.zName = UnsafePointer(cName)
        table.pointee.pAppData = Unmanaged.passUnretained(disk).toOpaque()
        table.pointee.xOpen = { system, path, file, flags, outFlags in
            ModelFileSystem.open(system!, path, file!, flags, outFlags)
        }
        table.pointee.xDelete = { system, path, syncs in
            let disk = Unmanaged<ModelDisk>.fromOpaque(system!.pointee.pAppData).takeUnretainedValue()
            guard disk.remove(String(cString: path!), syncs: syncs != 0) else { return SQLITE_IOERR }
            let real = sqlite3_vfs_find(nil)!
            return real.pointee.xDelete(real, path, syncs)
        }
        sqlite3_vfs_register(table, 0)
    }

    deinit {
        sqlite3_vfs_unregister(table)
        table.deallocate()
        free(cName)
    }

    private static func open(
        _ system: UnsafeMutablePointer<sqlite3_vfs>, _ path: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        let vfs = sqlite3_vfs_find(nil)!
        let real = UnsafeMutableRawPointer.allocate(byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
        memset(real, 0, Int(vfs.pointee.szOsFile))
        let realFile = real.assumingMemoryBound(to: sqlite3_file.self)
        file.pointee.pMethods = nil
        let code = vfs.pointee.xOpen(vfs, path, realFile, flags, outFlags)
        guard code == SQLITE_OK else {
            real.deallocate()
            return code
        }
        let name = path.map { String(cString: $0) } ?? ""
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: ModelFile.self).initialize(
            to: ModelFile(
                base: sqlite3_file(pMethods: methods), real: realFile, path: strdup(name),
                disk: .fromOpaque(system.pointee.pAppData)))
        return SQLITE_OK
    }

    fileprivate static func model(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<ModelFile> {
        UnsafeMutableRawPointer(file!).assumingMemoryBound(to: ModelFile.self)
    }

    /// The default file and its methods.
    fileprivate static func real(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) {
        let real = model(file).pointee.real
        return (real, real.pointee.pMethods.pointee)
    }

    // Never released: SQLite may use it until the end. Unchecked: constant.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
        var table = sqlite3_io_methods()
        // Without mapped reads, which would bypass `xRead`.
        table.iVersion = 2
        table.xClose = { file in
            let (real, methods) = ModelFileSystem.real(file)
            let code = methods.xClose(real)
            free(ModelFileSystem.model(file).pointee.path)
            UnsafeMutableRawPointer(real).deallocate()
            return code
        }
        table.xRead = { file, bytes, count, offset in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xRead(real, bytes, count, offset)
        }
        table.xWrite = { file, bytes, count, offset in
            let (real, methods) = ModelFileSystem.real(file)
            let model = ModelFileSystem.model(file).pointee
            let written = UnsafeRawBufferPointer(start: bytes, count: Int(count))
            guard
                model.disk.takeUnretainedValue().write(
                    String(cString: model.path), at: Int(offset), Array(written))
            else { return SQLITE_IOERR }
            return methods.xWrite(real, bytes, count, offset)
        }
        table.xTruncate = { file, size in
            let (real, methods) = ModelFileSystem.real(file)
            let model = ModelFileSystem.model(file).pointee
            guard model.disk.takeUnretainedValue().truncate(String(cString: model.path), to: Int(size)) else {
                return SQLITE_IOERR
            }
            return methods.xTruncate(real, size)
        }
        table.xSync = { file, _ in
            let model = ModelFileSystem.model(file).pointee
            return model.disk.takeUnretainedValue().sync(String(cString: model.path)) ? SQLITE_OK : SQLITE_IOERR
        }
        table.xFileSize = { file, size in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xFileSize(real, size)
        }
        table.xLock = { file, level in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xLock(real, level)
        }
        table.xUnlock = { file, level in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xUnlock(real, level)
        }
        table.xCheckReservedLock = { file, result in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xCheckReservedLock(real, result)
        }
        table.xFileControl = { file, code, value in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xFileControl(real, code, value)
        }
        table.xSectorSize = { file in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xSectorSize(real)
        }
        table.xDeviceCharacteristics = { file in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xDeviceCharacteristics(real)
        }
        table.xShmMap = { file, region, size, extends, memory in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xShmMap(real, region, size, extends, memory)
        }
        table.xShmLock = { file, offset, count, flags in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xShmLock(real, offset, count, flags)
        }
        table.xShmBarrier = { file in
            let (real, methods) = ModelFileSystem.real(file)
            methods.xShmBarrier(real)
        }
        table.xShmUnmap = { file, removes in
            let (real, methods) = ModelFileSystem.real(file)
            return methods.xShmUnmap(real, removes)
        }
        let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        pointer.initialize(to: table)
        return UnsafePointer(pointer)
    }()
}
