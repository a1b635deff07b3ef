package import RxAction
package import RxJSON
package import RxRecords

/// The elements of an execution that the store does not have, or not all of them.
package struct LogOutput: Sendable {
    /// What is kept of the elements.
    package struct Elements {
        /// Its halves, from the elements after some event on.
        let halves: [ElementHalf]
        /// Replaces the secrets in an element; nil without secrets.
        let redact: ((RawJSON) -> RawJSON)?

        /// Sets the property of each name.
        package init(halves: [ElementHalf], redact: ((RawJSON) -> RawJSON)?) {
            self.halves = halves
            self.redact = redact
        }
    }

    let execution: ExecutionID
    let name: String
    /// The number of the first element's event.
    let first: UInt64
    /// The number of the event with which the tail begins; nil if the head has all elements.
    let tail: UInt64?
    /// Returns the elements after an event; nil if the page cannot contain any.
    let read: (@Sendable (_ number: UInt64) -> Elements)?

    /// Sets the property of each name.
    package init(
        execution: ExecutionID, name: String, first: UInt64, tail: UInt64?,
        read: (@Sendable (_ number: UInt64) -> Elements)?
    ) {
        self.execution = execution
        self.name = name
        self.first = first
        self.tail = tail
        self.read = read
    }
}

/// A half of an execution's elements that begins in a page or before it, and may have elements after it.
package struct StartedOutput: Sendable {
    /// Names a half.
    struct Key: Hashable {
        let execution: ExecutionID
        let isTail: Bool
    }

    let key: Key
    /// Where its elements after the page begin, or some before; nil if they are to be looked for.
    let place: ElementReader.Place?
    /// The number of the next element is not smaller.
    let next: UInt64
    /// Up to here, the gap before its elements was in a page; 0 without one.
    let gapEnd: UInt64
}
