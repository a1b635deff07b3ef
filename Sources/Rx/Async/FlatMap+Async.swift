extension ObservableType {
    /// Merges the results of `transform`, which runs in a task of its own for each element.
    ///
    /// The tasks run at the same time, and results arrive in the order in which the tasks end. Completes when the
    /// source and all tasks have. The first error of the source or a task ends it. An end or a disposal cancels the
    /// tasks that are left; their results are dropped, and a task that has not begun does not call `transform`.
    ///
    /// Each element that has no result yet has a task: a source that is faster than `transform` starts any number of
    /// them. `map { element in Single.create(async: { … }) }.merge(maxConcurrent: 4)` limits them.
    ///
    /// ```
    /// source              --1-----2-----|
    /// transform(1)          ........a
    /// transform(2)                ...b
    /// flatMap(async: …)   ----------ab--|
    /// ```
    ///
    /// - Parameter transform: computes the result of an element. It inherits the priority and the task-local values of
    ///   the context that sends the element.
    // Disfavored: a closure that returns a sequence at once means `flatMap(_:)`.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public func flatMap<Result: RxSendable>(
        async transform: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        flatMap { element in
            Single.create(async: {
                try Task.checkCancellation()
                return try await transform(element)
            })
        }
    }
}
