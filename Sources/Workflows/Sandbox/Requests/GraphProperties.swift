/// Properties in Microsoft's metadata that the sandbox may not simulate; it says so instead of denying that they exist.
enum GraphProperties {
    private static let names: [String: String] = [
        "microsoft.graph.user": """
        aboutMe ageGroup assignedPlans authorizationInfo birthday cloudRealtimeCommunicationInfo \
        consentProvidedForMinor customSecurityAttributes deletedDateTime deviceEnrollmentLimit employeeLeaveDateTime \
        employeeOrgData externalUserState externalUserStateChangeDateTime hireDate identities identityParentId \
        interests isManagementRestricted isResourceAccount lastPasswordChangeDateTime legalAgeGroupClassification \
        licenseAssignmentStates mailboxSettings mySite onPremisesDistinguishedName onPremisesDomainName \
        onPremisesExtensionAttributes onPremisesProvisioningErrors onPremisesSamAccountName \
        onPremisesSecurityIdentifier onPremisesSipInfo onPremisesUserPrincipalName passwordProfile pastProjects \
        preferredDataLocation preferredName print provisionedPlans responsibilities schools securityIdentifier \
        serviceProvisioningErrors signInActivity signInSessionsValidFromDateTime skills
        """,
        "microsoft.graph.group": """
        allowExternalSenders assignedLabels assignedLicenses autoSubscribeNewMembers classification createdDateTime \
        deletedDateTime expirationDateTime hasMembersWithLicenseErrors hideFromAddressLists hideFromOutlookClients \
        infoCatalogs isArchived isAssignableToRole isManagementRestricted isSubscribedByMail licenseProcessingState \
        membershipRule membershipRuleProcessingState onPremisesDomainName onPremisesLastSyncDateTime \
        onPremisesNetBiosName onPremisesProvisioningErrors onPremisesSamAccountName onPremisesSecurityIdentifier \
        onPremisesSyncEnabled preferredDataLocation preferredLanguage proxyAddresses renewedDateTime \
        resourceBehaviorOptions resourceProvisioningOptions securityIdentifier serviceProvisioningErrors theme \
        uniqueName unseenConversationsCount unseenCount unseenMessagesCount visibility writebackConfiguration
        """,
        "microsoft.graph.message": """
        bccRecipients body bodyPreview categories ccRecipients changeKey conversationId conversationIndex \
        createdDateTime flag from hasAttachments importance inferenceClassification internetMessageHeaders \
        internetMessageId isDeliveryReceiptRequested isDraft isRead isReadReceiptRequested lastModifiedDateTime \
        mentions mentionsPreview parentFolderId receivedDateTime replyTo sender sentDateTime subject toRecipients \
        uniqueBody unsubscribeData unsubscribeEnabled webLink
        """,
        "microsoft.graph.event": """
        allowNewTimeProposals attendees body bodyPreview cancelledOccurrences categories changeKey createdDateTime end \
        hasAttachments hideAttendees iCalUId importance isAllDay isCancelled isDraft isOnlineMeeting isOrganizer \
        isReminderOn lastModifiedDateTime location locations occurrenceId onlineMeeting onlineMeetingProvider \
        onlineMeetingUrl organizer originalEndTimeZone originalStart originalStartTimeZone recurrence \
        reminderMinutesBeforeStart responseRequested responseStatus sensitivity seriesMasterId showAs start subject \
        transactionId type uid webLink
        """,
        "microsoft.graph.driveItem": """
        audio bundle cTag children content createdBy createdByUser createdDateTime deleted description eTag file \
        fileSystemInfo folder image lastModifiedBy lastModifiedByUser lastModifiedDateTime location malware name \
        package parentReference pendingOperations photo publication remoteItem retentionLabel root searchResult shared \
        sharepointIds size source specialFolder video viewpoint webDavUrl webUrl
        """,
    ]
    private static let all = names.mapValues { Set($0.split(separator: " ").map { $0.lowercased() }) }

    static func unknown(_ name: some StringProtocol, on type: String, code: String = "BadRequest") -> SandboxError {
        all[type]?.contains(name.lowercased()) ?? false
            ? .notPlayed("the property \(name) of \(type)")
            : .badRequest("Could not find a property named '\(name)' on type '\(type)'.", code: code)
    }
}
