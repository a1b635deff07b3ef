public import RxJSON
public import RxTime

/// An element on its way through the steps of a stream.
public struct StreamElement: Sendable, Hashable {
    /// The value, `.` in programs.
    public var value: RawJSON
    /// When the source emitted it, `now` in programs. A value that a step makes has the time of the newest element that
    /// it is made from.
    public var time: Instant
    /// Nil for most elements, which are thus copied from step to step at the cost of one reference.
    private var attachment: ElementAttachment?

    /// Creates an element.
    public init(
        value: RawJSON, time: Instant, key: RawJSON? = nil, from: RawJSON? = nil, origin: ElementOrigin? = nil
    ) {
        self.value = value
        self.time = time
        if key != nil || from != nil || origin != nil {
            attachment = ElementAttachment(key: key, from: from, origin: origin, charge: nil)
        }
    }

    private init(_ value: RawJSON, _ time: Instant, _ attachment: ElementAttachment?) {
        self.value = value
        self.time = time
        self.attachment = attachment
    }

    /// `$key` in programs: the key of the group; nil outside of groups.
    public var key: RawJSON? {
        get { attachment?.key }
        set { attach { ElementAttachment(key: newValue, from: $0?.from, origin: $0?.origin, charge: $0?.charge) } }
    }

    /// `$from` in programs: the element that started the execution; nil unless the element comes from one.
    public var from: RawJSON? {
        get { attachment?.from }
        set { attach { ElementAttachment(key: $0?.key, from: newValue, origin: $0?.origin, charge: $0?.charge) } }
    }

    /// What the element goes back to; nil if there is nothing to remember.
    public var origin: ElementOrigin? {
        get { attachment?.origin }
        set { attach { ElementAttachment(key: $0?.key, from: $0?.from, origin: newValue, charge: $0?.charge) } }
    }

    /// Something that is charged as long as it is referred to.
    package typealias Charge = any AnyObject & Sendable

    /// What a user is charged with for the element, until it and everything that steps have made of it are gone; nil
    /// for an element that no client has sent. It is not stored, and does not count when elements are compared.
    package var charge: Charge? {
        get { attachment?.charge }
        set { attach { ElementAttachment(key: $0?.key, from: $0?.from, origin: $0?.origin, charge: newValue) } }
    }

    private mutating func attach(_ change: (ElementAttachment?) -> ElementAttachment) {
        let changed = change(attachment)
        attachment = changed.isEmpty ? nil : changed
    }

    /// The same element with another value.
    public func with(_ value: RawJSON) -> StreamElement {
        StreamElement(value, time, attachment)
    }

    /// Approximate bytes of memory.
    var cost: Int { 64 + value.utf8.count + (key?.utf8.count ?? 0) + (from?.utf8.count ?? 0) }
}

extension Sequence<StreamElement> {
    /// The charges of all elements, for one that is made of them; nil if none has any.
    var charge: StreamElement.Charge? {
        let charges = compactMap(\.charge)
        return charges.count > 1 ? JoinedCharge(charges) : charges.first
    }
}

private final class JoinedCharge: Sendable {
    private let charges: [StreamElement.Charge]

    init(_ charges: [StreamElement.Charge]) { self.charges = charges }
}

/// A charge of one user.
package protocol UserCharge: AnyObject, Sendable {
    /// Who is charged; nobody else has this identity while there is a charge.
    var user: ObjectIdentifier { get }
}

/// What few elements have.
private final class ElementAttachment: Sendable, Hashable {
    let key: RawJSON?
    let from: RawJSON?
    let origin: ElementOrigin?
    let charge: StreamElement.Charge?

    init(key: RawJSON?, from: RawJSON?, origin: ElementOrigin?, charge: StreamElement.Charge?) {
        self.key = key
        self.from = from
        self.origin = origin
        self.charge = charge
    }

    var isEmpty: Bool { key == nil && from == nil && origin == nil && charge == nil }

    static func == (one: ElementAttachment, other: ElementAttachment) -> Bool {
        one === other || one.key == other.key && one.from == other.from && one.origin == other.origin
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(from)
        hasher.combine(origin)
    }
}

/// What an element goes back to: the position in its source, and the links of its chain of causes.
public struct ElementOrigin: Sendable, Hashable {
    /// Where the source goes on after the element.
    public var position: RawJSON?
    /// The slot, for elements of a schedule.
    public var scheduled: Instant?
    /// The causes of the event that the element stands for, as the host encodes them; the nearest first.
    public var causes: RawJSON?

    /// Creates an origin.
    public init(position: RawJSON? = nil, scheduled: Instant? = nil, causes: RawJSON? = nil) {
        self.position = position
        self.scheduled = scheduled
        self.causes = causes
    }
}
