extension ObservableType {
    /// Emits all elements in one array when the sequence completes.
    ///
    /// ```
    /// source     --1--2--3--|
    /// toArray()  -----------([1,2,3]|)
    /// ```
    public func toArray() -> Single<[Element]> {
        Single(raw: Reduce(asObservable(), [], { $0.append($1) }, { $0 }))
    }
}
