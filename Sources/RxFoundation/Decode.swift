public import Foundation
public import Rx

/// Makes values of data: `JSONDecoder`, `PropertyListDecoder`, or one of your own.
public protocol DataDecoder: Sendable {
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
    /// Each element decoded; what the decoder throws is the error of the sequence.
    ///
    /// ```
    /// source                  --{"n":1}--{"n":2}--|
    /// decode(type: N.self, …) ---N(1)-----N(2)----|
    /// ```
    public func decode<Item: Decodable & Sendable, Decoder: DataDecoder>(
        type: Item.Type, decoder: Decoder
    ) -> Observable<Item> {
        map { data in try decoder.decode(Item.self, from: data) }
    }
}
