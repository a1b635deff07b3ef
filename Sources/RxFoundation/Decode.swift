public import Foundation
public import Rx

/// Decodes values from data: `JSONDecoder`, `PropertyListDecoder`, or a custom decoder.
#if Migration
    @preconcurrency
#endif
public protocol DataDecoder: RxSendable {
    /// Decodes a value of `type` from `data`. Throws if `data` does not represent one.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

extension ObservableType where Element == Data {
    /// Decodes each element. Grammar: `next* (completed | error)?`; an error of the decoder ends the sequence.
    ///
    /// ```
    /// source                  --{"n":1}--{"n":2}--|
    /// decode(type: N.self, …) ---N(1)-----N(2)----|
    /// ```
    public func decode<Item: Decodable & RxSendable, Decoder: DataDecoder>(
        type: Item.Type, decoder: Decoder
    ) -> Observable<Item> {
        map { data in try decoder.decode(Item.self, from: data) }
    }
}
