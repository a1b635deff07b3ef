public import Rx

/// An event of a list for a view: the full list first, then the changes.
public enum KeyedListEvent<Element: Identifiable> {
    /// The full list; the first event.
    case snapshot([Element])
    /// The steps from the previous list; at least one.
    case changes(KeyedChanges<Element>)
}

extension KeyedListEvent: Sendable where Element: RxSendable, Element.ID: RxSendable {}
extension KeyedListEvent: Equatable where Element: Equatable {}

extension ObservableType {
    /// The first list, then the changes from each list to the next. Skips a list that equals the previous one. Grammar:
    /// `(snapshot changes*)? (completed | error)?`.
    ///
    /// ```
    /// source  [a b]---[a b]---[b a]-----------
    /// result  [a b]-----------(move a: 0 to 1)
    /// ```
    @inlinable public func keyedChanges<Item: Identifiable & Equatable & RxSendable>() -> Observable<
        KeyedListEvent<Item>
    >
    where Element == [Item], Item.ID: RxSendable {
        changes {
            KeyedChanges(from: $0, to: $1)
        } snapshot: {
            $0
        }
    }

    /// The first list, then the changes from each list to the next. Skips a list that equals the previous one. Does not
    /// compare what two lists share, so the cost follows the size of the change. Grammar:
    /// `(snapshot changes*)? (completed | error)?`.
    @inlinable public func keyedChanges<Item: Identifiable & Equatable & RxSendable>() -> Observable<
        KeyedListEvent<Item>
    >
    where Element == KeyedList<Item>, Item.ID: RxSendable {
        changes {
            KeyedChanges(from: $0, to: $1)
        } snapshot: {
            Array($0)
        }
    }

    @inlinable func changes<Item: Identifiable & RxSendable>(
        _ difference: @escaping @Sendable (Element, Element) -> KeyedChanges<Item>,
        snapshot: @escaping @Sendable (Element) -> [Item]
    ) -> Observable<KeyedListEvent<Item>> where Item.ID: RxSendable {
        let start: (list: Element?, event: KeyedListEvent<Item>?) = (nil, nil)
        return asObservable()
            .scan(start) { last, list in
                guard let before = last.list else { return (list, .snapshot(snapshot(list))) }
                let changes = difference(before, list)
                return (list, changes.isEmpty ? nil : .changes(changes))
            }
            .compactMap(\.event)
    }
}
