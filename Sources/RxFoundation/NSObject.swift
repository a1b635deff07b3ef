public import Foundation
public import Rx

/// Gives every class of Foundation the `rx` namespace.
extension NSObject: ReactiveCompatible {}
