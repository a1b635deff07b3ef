public import Rx

extension SharedSequenceConvertibleType {
    /// Calls closures as events pass; the sequence is otherwise unchanged. All subscribers share one call.
    ///
    /// ```
    /// source           --1--|
    /// do(onNext: log)  --1--|
    /// ```
    ///
    /// - Parameters:
    ///   - onNext: called before each element is sent.
    ///   - afterNext: called after each element is sent.
    ///   - onCompleted: called before the completion is sent.
    ///   - afterCompleted: called after the completion is sent.
    ///   - onSubscribe: called before the source is subscribed to, on the thread that subscribes.
    ///   - onSubscribed: called after the source is subscribed to, on the thread that subscribes.
    ///   - onDispose: called once, after the end is sent or when the last subscription is disposed, on that thread.
    #if Migration
        @preconcurrency
    #endif
    public func `do`(
        onNext: MainClosure<Element, Void>? = nil,
        afterNext: MainClosure<Element, Void>? = nil,
        onCompleted: MainClosure<Void>? = nil,
        afterCompleted: MainClosure<Void>? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> SharedSequence<SharingStrategy, Element> {
        lift { source, confinement in
            source.do(
                onNext: confinement.confine(onNext), afterNext: confinement.confine(afterNext),
                onCompleted: confinement.confine(onCompleted), afterCompleted: confinement.confine(afterCompleted),
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
        }
    }

    /// Prints the subscription, the events, and the disposal: a line each, with the time and `identifier`.
    ///
    /// ```
    /// source   --1--|
    /// debug()  --1--|
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: by default the location of the call, as `File.swift:12 (function())`.
    ///   - trimOutput: whether to shorten events of more than 40 characters in the middle.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - function: the function that makes the call.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> SharedSequence<SharingStrategy, Element> {
        lift { source, _ in
            source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function)
        }
    }
}
