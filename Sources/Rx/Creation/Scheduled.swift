extension ObservableType {
    /// Emits one element in a turn of `scheduler` and completes in the next.
    ///
    /// ```
    /// just(1, scheduler: s)  -1|
    /// ```
    public static func just(
        _ element: Element, scheduler: any ImmediateSchedulerType
    ) -> Observable<Element> {
        ElementsSource(CollectionOfOne(element), scheduler)
    }

    /// Emits the element, if there is one, in a turn of `scheduler` and completes in the next.
    ///
    /// ```
    /// from(optional: 1, scheduler: s)    -1|
    /// from(optional: nil, scheduler: s)  -|
    /// ```
    public static func from(
        optional: Element?, scheduler: any ImmediateSchedulerType
    ) -> Observable<Element> {
        ElementsSource(optional.map { [$0] } ?? [], scheduler)
    }
}
