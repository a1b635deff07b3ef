internal import RxRecords

extension SecretMask {
    /// `output` with the secrets replaced, so that it may be a little longer or shorter.
    func masking(_ output: KeptOutput) -> KeptOutput {
        KeptOutput(elements: masking(output.elements), errors: masking(output.errors))
    }

    private func masking(_ elements: KeptElements) -> KeptElements {
        elements.mapping { masking($0) }
    }

    /// A half is masked as a whole, since a secret may be spread over several pieces: then it is one piece.
    private func masking(_ errors: KeptErrors) -> KeptErrors {
        errors.mapping { bytes, isCutBefore, isCutAfter in
            let masked = masking(bytes, isCutBefore: isCutBefore, isCutAfter: isCutAfter)
            return masked == bytes ? nil : masked
        }
    }
}
