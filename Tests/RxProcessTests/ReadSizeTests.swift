import Testing

@testable import RxProcess

@Suite("The size of a read")
struct ReadSizeTests {
    @Test("shrinks while lines are short: a process that prints empty lines has a few hundred elements in a read")
    func short() {
        var size = ReadSize()
        var elements: [Int] = []
        for _ in 0..<8 {
            elements.append(size.bytes)
            size.adapt(toElements: size.bytes, in: size.bytes)
        }
        #expect(elements == [1024, 512, 256, 256, 256, 256, 256, 256])
    }

    @Test("grows while lines are long and fill it, up to that of the buffer")
    func long() {
        var size = ReadSize()
        var sizes: [Int] = []
        for _ in 0..<4 {
            sizes.append(size.bytes)
            size.adapt(toElements: size.bytes / 200, in: size.bytes)
        }
        #expect(sizes == [1024, 2048, 4096, 4096])
        size.adapt(toElements: 1, in: 10)
        #expect(size.bytes == ReadBuffer.size)
    }

    @Test("stays as it is for lines of which neither size has too many")
    func steady() {
        var size = ReadSize()
        for _ in 0..<10 { size.adapt(toElements: 100, in: size.bytes) }
        #expect(size.bytes == 1024)
    }
}
