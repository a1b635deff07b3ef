import Foundation
import Rx
import RxBlocking
import RxFoundation
import TestSupport
import Testing

@Suite("decode", .leakFree)
struct DecodeTests {
    private struct Item: Codable, Equatable {
        let name: String
        let count: Int
    }

    private let items = [Item(name: "a", count: 1), Item(name: "b", count: 2)]

    @Test("each element is decoded from JSON")
    func json() throws {
        let data = try items.map { try JSONEncoder().encode($0) }
        let decoded = Observable.from(data).decode(type: Item.self, decoder: JSONDecoder())
        #expect(try decoded.toBlocking().toArray() == items)
    }

    @Test("each element is decoded from a property list")
    func propertyList() throws {
        let data = try items.map { try PropertyListEncoder().encode($0) }
        let decoded = Observable.from(data).decode(type: Item.self, decoder: PropertyListDecoder())
        #expect(try decoded.toBlocking().toArray() == items)
    }

    @Test("what the decoder throws is the error, after what came before")
    func failure() throws {
        let data = [try JSONEncoder().encode(items[0]), Data("{".utf8), try JSONEncoder().encode(items[1])]
        let result = Observable.from(data).decode(type: Item.self, decoder: JSONDecoder()).toBlocking().materialize()
        guard case .failed(let elements, let error) = result else { Issue.record("\(result)"); return }
        #expect(elements == [items[0]])
        #expect(error is DecodingError)
    }

    @Test("a decoder may be of one's own")
    func own() throws {
        let decoded = Observable.just(Data("7".utf8)).decode(type: Int.self, decoder: Shouting())
        #expect(throws: Shouting.No.self) { try decoded.toBlocking().toArray() }
    }
}

private struct Shouting: DataDecoder {
    struct No: Error {}

    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { throw No() }
}
