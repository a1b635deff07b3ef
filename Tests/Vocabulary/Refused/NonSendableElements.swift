import Rx

final class Document {
    var title = ""
}

// An element goes from thread to thread.
// refused: type 'Document' does not conform to the 'Sendable' protocol
let documents: Observable<Document> = .never()
// refused: type 'Document' does not conform to the 'Sendable' protocol
let subject = PublishSubject<Document>()
// refused: type 'Document' does not conform to the 'Sendable' protocol
let made = Observable.of(1, 2).map { _ in Document() }
// refused: type '() -> Void' does not conform to the 'Sendable' protocol
let closures = Observable<() -> Void>.empty()
// refused: type 'Any' does not conform to the 'Sendable' protocol
let anything = Observable<Any>.empty()
