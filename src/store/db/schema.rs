// Generated from the migrated database; `make schema` writes it, a test compares it.

diesel::table! {
    abuse_reports (id) {
        id -> Uuid,
        reporter_id -> Uuid,
        accused_id -> Uuid,
        design_id -> Nullable<Uuid>,
        comment_id -> Nullable<Uuid>,
        target -> Uuid,
        reason -> Text,
        details -> Nullable<Text>,
        created_at -> Timestamptz,
        decision -> Nullable<Text>,
        note -> Nullable<Text>,
        decided_by -> Nullable<Uuid>,
        decided_at -> Nullable<Timestamptz>,
        suggestion_id -> Nullable<Uuid>,
        deck_id -> Nullable<Uuid>,
        reported -> Nullable<Jsonb>,
        first_reported -> Nullable<Jsonb>,
        first_reported_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    account_blocks (account_id, blocked_id) {
        account_id -> Uuid,
        blocked_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    account_event_clocks (account_id) {
        account_id -> Uuid,
        last_seq -> Int8,
        unlocks_seq -> Int8,
        looked_at -> Timestamptz,
    }
}

diesel::table! {
    account_events (id) {
        id -> Int8,
        account_id -> Uuid,
        seq -> Nullable<Int8>,
        kind -> Text,
        submission_id -> Nullable<Uuid>,
        copy_id -> Nullable<Uuid>,
        card_id -> Nullable<Uuid>,
        trade_id -> Nullable<Uuid>,
        dispute_id -> Nullable<Uuid>,
        outcome -> Nullable<Text>,
        created_at -> Timestamptz,
        design_id -> Nullable<Uuid>,
        comment_id -> Nullable<Uuid>,
        suggestion_id -> Nullable<Uuid>,
        deck_id -> Nullable<Uuid>,
        report_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    accounts (id) {
        id -> Uuid,
        name -> Text,
        name_key -> Text,
        password_hash -> Text,
        role -> Text,
        must_change_password -> Bool,
        banned_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        trading -> Text,
        on_leaderboard -> Bool,
        name_skeleton -> Nullable<Text>,
        second_factor_since -> Nullable<Timestamptz>,
        name_small_look -> Nullable<Text>,
        name_capital_look -> Nullable<Text>,
    }
}

diesel::table! {
    artwork_chunks (artwork, rendition, position) {
        artwork -> Bytea,
        rendition -> Text,
        position -> Int4,
        data -> Bytea,
    }
}

diesel::table! {
    artwork_renditions (artwork, rendition) {
        artwork -> Bytea,
        rendition -> Text,
        media_type -> Text,
        width -> Int4,
        height -> Int4,
        size -> Int8,
    }
}

diesel::table! {
    artwork_uploads (account_id, artwork) {
        account_id -> Uuid,
        artwork -> Bytea,
        uploaded_at -> Timestamptz,
    }
}

diesel::table! {
    artworks (id) {
        id -> Bytea,
        size -> Int8,
        created_at -> Timestamptz,
        released_at -> Nullable<Timestamptz>,
        removed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    attempt_epochs (only_row) {
        only_row -> Bool,
        epoch -> Uuid,
    }
}

diesel::table! {
    attempts (scope, subject_mac, window_start) {
        scope -> Text,
        subject_mac -> Bytea,
        window_start -> Timestamptz,
        used -> Int4,
        reserved -> Int4,
        reserved_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    audit_log (id) {
        id -> Uuid,
        actor_id -> Nullable<Uuid>,
        action -> Text,
        target -> Text,
        details -> Jsonb,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    author_followers (author_id) {
        author_id -> Uuid,
        followers -> Int8,
    }
}

diesel::table! {
    bulk_chunks (file_id, position) {
        file_id -> Uuid,
        position -> Int4,
        data -> Bytea,
    }
}

diesel::table! {
    bulk_files (id) {
        id -> Uuid,
        name -> Text,
        game_code -> Text,
        kind -> Text,
        layout -> Int4,
        row_count -> Int8,
        size -> Int8,
        unpacked_size -> Int8,
        sha256 -> Bytea,
        change_seq -> Int8,
        created_at -> Timestamptz,
        replaced_at -> Nullable<Timestamptz>,
        built_at -> Timestamptz,
        build_millis -> Int8,
        is_current -> Bool,
    }
}

diesel::table! {
    card_content (card_id) {
        card_id -> Uuid,
        game_code -> Text,
        kind -> Text,
        name -> Text,
        name_key -> Text,
        search_key -> Text,
        attributes -> Jsonb,
        effects -> Jsonb,
        lore -> Nullable<Text>,
        open -> Bool,
        words -> Text,
        name_words -> Text,
        effect_words -> Text,
        lore_words -> Text,
        attribute_words -> Jsonb,
        words_version -> Int2,
        name_scope -> Text,
        printing_numbers -> Jsonb,
        designed_by -> Nullable<Jsonb>,
        name_looks -> Nullable<Array<Bytea>>,
        name_looks_version -> Int2,
    }
}

diesel::table! {
    card_history (id) {
        id -> Uuid,
        card_id -> Uuid,
        change -> Text,
        changes -> Jsonb,
        early -> Bool,
        at -> Timestamptz,
    }
}

diesel::table! {
    card_migrations (id) {
        id -> Uuid,
        kind -> Text,
        game_code -> Text,
        old_card_id -> Uuid,
        old_set_code -> Text,
        old_number -> Text,
        new_card_id -> Uuid,
        new_set_code -> Text,
        new_number -> Text,
        card_id -> Uuid,
        note -> Nullable<Text>,
        performed_at -> Timestamptz,
    }
}

diesel::table! {
    card_rulings (id) {
        id -> Uuid,
        card_id -> Uuid,
        kind -> Text,
        text -> Text,
        published_on -> Date,
        source -> Nullable<Text>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    cards (id) {
        id -> Uuid,
        game_code -> Text,
        set_code -> Text,
        number -> Text,
        revision -> Int8,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    collection_entries (account_id, printing_id, condition) {
        account_id -> Uuid,
        printing_id -> Uuid,
        condition -> Text,
        quantity -> Int4,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    collection_imports (id) {
        id -> Uuid,
        account_id -> Uuid,
        mode -> Text,
        game_code -> Nullable<Text>,
        entries -> Jsonb,
        rejected -> Jsonb,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        committed_at -> Nullable<Timestamptz>,
        result -> Nullable<Jsonb>,
        shown_counts -> Nullable<Jsonb>,
    }
}

diesel::table! {
    copies (code_prefix, code_mac) {
        code_prefix -> Text,
        code_mac -> Bytea,
        print_run_id -> Uuid,
        printing_id -> Uuid,
        owner_id -> Nullable<Uuid>,
        registered_at -> Nullable<Timestamptz>,
        frozen_at -> Nullable<Timestamptz>,
        voided_at -> Nullable<Timestamptz>,
        id -> Nullable<Uuid>,
    }
}

diesel::table! {
    copy_ledger (id) {
        id -> Uuid,
        code_prefix -> Text,
        code_mac -> Bytea,
        entry -> Text,
        account_id -> Uuid,
        created_at -> Timestamptz,
        position -> Int4,
        owner_id -> Nullable<Uuid>,
        reason -> Nullable<Text>,
        trade_id -> Nullable<Uuid>,
        dispute_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    counted_submissions (submission_id) {
        submission_id -> Uuid,
    }
}

diesel::table! {
    daily_counts (account_id, activity, day) {
        account_id -> Uuid,
        activity -> Text,
        day -> Date,
        count -> Int4,
    }
}

diesel::table! {
    deck_entries (deck_id, position) {
        deck_id -> Uuid,
        position -> Int4,
        zone -> Text,
        quantity -> Int4,
        name -> Text,
        set_code -> Nullable<Text>,
        number -> Nullable<Text>,
        rarity -> Nullable<Text>,
        copies -> Array<Text>,
    }
}

diesel::table! {
    deck_judgements (deck_id) {
        deck_id -> Uuid,
        game_code -> Text,
        due_at -> Timestamptz,
        judged_on -> Nullable<Date>,
        game_revision -> Nullable<Int8>,
        judged_by -> Int2,
    }
}

diesel::table! {
    deck_likes (deck_id, account_id) {
        deck_id -> Uuid,
        account_id -> Uuid,
        liked_at -> Timestamptz,
        counted -> Bool,
    }
}

diesel::table! {
    deck_reservations (deck_id, printing_id) {
        deck_id -> Uuid,
        printing_id -> Uuid,
        quantity -> Int4,
        reserved_at -> Timestamptz,
    }
}

diesel::table! {
    deck_revisions (deck_id, revision) {
        deck_id -> Uuid,
        revision -> Int8,
        visibility -> Text,
        content -> Jsonb,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    deck_search (deck_id) {
        deck_id -> Uuid,
        revision -> Int8,
        game_code -> Text,
        published_at -> Timestamptz,
        updated_at -> Timestamptz,
        size -> Int4,
        terms -> Array<Text>,
        cards -> Array<Nullable<Uuid>>,
        hidden_cards -> Array<Nullable<Uuid>>,
        legal_in -> Array<Text>,
    }
}

diesel::table! {
    deck_watches (account_id, deck_id) {
        account_id -> Uuid,
        deck_id -> Uuid,
        watched_at -> Timestamptz,
        told_legal -> Nullable<Bool>,
        told_status -> Nullable<Text>,
    }
}

diesel::table! {
    decks (id) {
        id -> Uuid,
        account_id -> Uuid,
        game_code -> Text,
        format_code -> Text,
        name -> Text,
        visibility -> Text,
        revision -> Int8,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        description -> Text,
        tags -> Array<Text>,
        folder -> Nullable<Text>,
        unlisted -> Bool,
        unread_lines -> Jsonb,
        card_ids -> Array<Nullable<Uuid>>,
        bound_revision -> Int8,
        cloned_deck_id -> Nullable<Uuid>,
        cloned_revision -> Nullable<Int8>,
        cloned_account_id -> Nullable<Uuid>,
        deleted_at -> Nullable<Timestamptz>,
        visibility_before -> Nullable<Text>,
        like_count -> Int8,
        comment_count -> Int8,
        published_at -> Nullable<Timestamptz>,
        taken_down_at -> Nullable<Timestamptz>,
        taken_down_from -> Nullable<Text>,
        taken_down_revision -> Nullable<Int8>,
        takedown_note -> Nullable<Text>,
    }
}

diesel::table! {
    design_artworks (design_id, revision) {
        design_id -> Uuid,
        revision -> Int8,
        account_id -> Uuid,
        artwork -> Bytea,
    }
}

diesel::table! {
    design_changes (id) {
        id -> Int8,
        transaction -> Int8,
        design_id -> Nullable<Uuid>,
        account_id -> Nullable<Uuid>,
        noted_at -> Timestamptz,
    }
}

diesel::table! {
    design_comments (id) {
        id -> Uuid,
        design_id -> Nullable<Uuid>,
        account_id -> Uuid,
        reply_to -> Nullable<Uuid>,
        text -> Text,
        version -> Int8,
        created_at -> Timestamptz,
        edited_at -> Nullable<Timestamptz>,
        deleted_at -> Nullable<Timestamptz>,
        hidden_at -> Nullable<Timestamptz>,
        author_banned -> Bool,
        reply_count -> Int8,
        stands -> Bool,
        listed -> Bool,
        deck_id -> Nullable<Uuid>,
        hidden_by_owner -> Bool,
        owner_hid_before -> Bool,
    }
}

diesel::table! {
    design_rating_sums (design_id, revision) {
        design_id -> Uuid,
        revision -> Int8,
        ratings -> Int8,
        fun -> Int8,
        balance -> Int8,
        flavour -> Int8,
        clarity -> Int8,
    }
}

diesel::table! {
    design_ratings (design_id, account_id, revision) {
        design_id -> Uuid,
        account_id -> Uuid,
        revision -> Int8,
        fun -> Int4,
        balance -> Int4,
        flavour -> Int4,
        clarity -> Int4,
        rated_at -> Timestamptz,
        counts_from -> Nullable<Timestamptz>,
        counted -> Bool,
    }
}

diesel::table! {
    design_releases (design_id) {
        design_id -> Uuid,
        card_id -> Uuid,
        revision -> Int8,
        licence -> Text,
        licensed_at -> Timestamptz,
        released_by -> Uuid,
        released_at -> Timestamptz,
    }
}

diesel::table! {
    design_reviews (id) {
        id -> Uuid,
        design_id -> Uuid,
        revision -> Int8,
        submitted_at -> Timestamptz,
        reviewer_id -> Nullable<Uuid>,
        lease_until -> Nullable<Timestamptz>,
        decision -> Nullable<Text>,
        reason -> Nullable<Text>,
        closed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    design_revisions (design_id, number) {
        design_id -> Uuid,
        number -> Int8,
        content -> Jsonb,
        created_at -> Timestamptz,
        credited_to -> Nullable<Uuid>,
    }
}

diesel::table! {
    design_search (design_id) {
        design_id -> Uuid,
        game_code -> Text,
        game_revision -> Int8,
        words_version -> Int2,
        kind -> Text,
        search_key -> Text,
        attributes -> Jsonb,
        effects -> Jsonb,
        has_lore -> Bool,
        printings -> Jsonb,
        printing_numbers -> Jsonb,
        terms -> Array<Text>,
        words -> Text,
        name_words -> Text,
        effect_words -> Text,
        lore_words -> Text,
        attribute_words -> Jsonb,
    }
}

diesel::table! {
    designer_rewards (design_id) {
        design_id -> Uuid,
        account_id -> Uuid,
        perk -> Nullable<Text>,
        earned_at -> Timestamptz,
        code_prefix -> Nullable<Text>,
        code_mac -> Nullable<Bytea>,
        granted_by -> Nullable<Uuid>,
        granted_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    designs (id) {
        id -> Uuid,
        code -> Text,
        account_id -> Uuid,
        game_code -> Text,
        status -> Text,
        version -> Int8,
        revision -> Int8,
        public_revision -> Nullable<Int8>,
        name -> Text,
        name_key -> Text,
        name_skeleton -> Text,
        kind -> Text,
        effects_key -> Nullable<Bytea>,
        shared_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        listed -> Bool,
        comment_count -> Int8,
        rating_count -> Int8,
        rating_points -> Int8,
        rating -> Int4,
        searched_revision -> Nullable<Int8>,
        taken_down_at -> Nullable<Timestamptz>,
        taken_down_from -> Nullable<Text>,
        takedown_note -> Nullable<Text>,
        name_looks -> Nullable<Array<Bytea>>,
        name_looks_version -> Int2,
    }
}

diesel::table! {
    dispute_statements (dispute_id, position) {
        dispute_id -> Uuid,
        position -> Int4,
        side -> Text,
        account_id -> Uuid,
        text -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    disputes (id) {
        id -> Uuid,
        code_prefix -> Text,
        code_mac -> Bytea,
        claimant_id -> Uuid,
        state -> Text,
        opened_at -> Timestamptz,
        closed_at -> Nullable<Timestamptz>,
        decided_by -> Nullable<Uuid>,
        reason -> Nullable<Text>,
        lost_by -> Nullable<Uuid>,
    }
}

diesel::table! {
    effect_texts (game_code) {
        game_code -> Text,
        document -> Jsonb,
        revision -> Int8,
        seeded_hash -> Nullable<Bytea>,
        updated_at -> Timestamptz,
        templates_since -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    event_clock (single) {
        single -> Bool,
        last_seq -> Int8,
    }
}

diesel::table! {
    event_settings (account_id) {
        account_id -> Uuid,
        muted -> Array<Text>,
    }
}

diesel::table! {
    events (id) {
        id -> Uuid,
        kind -> Text,
        subject_id -> Nullable<Uuid>,
        payload -> Jsonb,
        created_at -> Timestamptz,
        seq -> Nullable<Int8>,
    }
}

diesel::table! {
    followed_authors (account_id, author_id) {
        account_id -> Uuid,
        author_id -> Uuid,
        followed_at -> Timestamptz,
        counted -> Bool,
    }
}

diesel::table! {
    games (code) {
        code -> Text,
        name -> Text,
        manifest -> Text,
        revision -> Int8,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        unique_names -> Bool,
    }
}

diesel::table! {
    idempotency_keys (account_id, key) {
        account_id -> Uuid,
        key -> Text,
        operation -> Text,
        body_mac -> Bytea,
        resource_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    key_fingerprints (purpose, key_id) {
        purpose -> Text,
        key_id -> Text,
        fingerprint -> Bytea,
        noted_at -> Timestamptz,
    }
}

diesel::table! {
    personal_access_tokens (id) {
        id -> Uuid,
        account_id -> Uuid,
        name -> Text,
        token_hash -> Bytea,
        scopes -> Array<Text>,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
        revoked_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    print_commitments (id) {
        id -> Uuid,
        set_id -> Uuid,
        digest -> Bytea,
        seed -> Bytea,
        plan -> Text,
        announced_by -> Nullable<Uuid>,
        announced_at -> Timestamptz,
        print_run_id -> Nullable<Uuid>,
        revealed_at -> Nullable<Timestamptz>,
        broken_off_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    print_run_lines (print_run_id, printing_id) {
        print_run_id -> Uuid,
        printing_id -> Uuid,
        copy_count -> Int8,
    }
}

diesel::table! {
    print_runs (id) {
        id -> Uuid,
        set_id -> Uuid,
        code_prefix -> Text,
        key_id -> Text,
        copies_per_card -> Int8,
        copy_count -> Int8,
        status -> Text,
        file_sha256 -> Bytea,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        activated_at -> Nullable<Timestamptz>,
        packing_sha256 -> Nullable<Bytea>,
        discarded_at -> Nullable<Timestamptz>,
        emptied_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    printing_content (printing_id) {
        printing_id -> Uuid,
        attributes -> Jsonb,
    }
}

diesel::table! {
    printings (id) {
        id -> Uuid,
        card_id -> Uuid,
        rarity -> Text,
        tier -> Int2,
    }
}

diesel::table! {
    recovery_codes (account_id, code_hash) {
        account_id -> Uuid,
        code_hash -> Bytea,
        used_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    refresh_tokens (token_hash) {
        token_hash -> Bytea,
        session_id -> Uuid,
        generation -> Int4,
        issued_at -> Timestamptz,
        replaced_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    second_factor_codes (account_id, code_hash) {
        account_id -> Uuid,
        code_hash -> Bytea,
        used_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    second_factors (account_id) {
        account_id -> Uuid,
        key_id -> Text,
        sealed -> Bytea,
        created_at -> Timestamptz,
        last_step -> Nullable<Int8>,
    }
}

diesel::table! {
    seed_loads (manifest_file) {
        manifest_file -> Text,
        files_hash -> Bytea,
        loaded_at -> Timestamptz,
        part_hashes -> Nullable<Bytea>,
    }
}

diesel::table! {
    sessions (id) {
        id -> Uuid,
        account_id -> Uuid,
        network_mac -> Bytea,
        generation -> Int4,
        created_at -> Timestamptz,
        last_used_at -> Timestamptz,
        expires_at -> Timestamptz,
        revoked_at -> Nullable<Timestamptz>,
        revoked_reason -> Nullable<Text>,
        browser_token_hash -> Nullable<Bytea>,
    }
}

diesel::table! {
    sets (id) {
        id -> Uuid,
        game_code -> Text,
        code -> Text,
        name -> Text,
        released_on -> Nullable<Date>,
        hidden -> Bool,
        unlock_threshold -> Int4,
        copies_per_card -> Int8,
        source_hash -> Nullable<Bytea>,
        revision -> Int8,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        edited_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    submission_networks (submission_id) {
        submission_id -> Uuid,
        network_mac -> Bytea,
        wider_macs -> Array<Bytea>,
    }
}

diesel::table! {
    submission_reviews (submission_id) {
        submission_id -> Uuid,
        confirmed -> Bool,
        reviewer_id -> Uuid,
        note -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    submissions (id) {
        id -> Uuid,
        account_id -> Uuid,
        card_id -> Uuid,
        code_prefix -> Text,
        code_mac -> Bytea,
        counted -> Bool,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    suggested_changes (id) {
        id -> Uuid,
        design_id -> Uuid,
        account_id -> Uuid,
        revision -> Int8,
        content -> Jsonb,
        message -> Text,
        state -> Text,
        taken_as -> Nullable<Int8>,
        created_at -> Timestamptz,
        closed_at -> Nullable<Timestamptz>,
        hidden_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    trade_copies (trade_id, code_prefix, code_mac) {
        trade_id -> Uuid,
        code_prefix -> Text,
        code_mac -> Bytea,
        given -> Bool,
        gone -> Bool,
    }
}

diesel::table! {
    trade_list_items (account_id, kind, position) {
        account_id -> Uuid,
        kind -> Text,
        position -> Int4,
        card_id -> Uuid,
        printing_id -> Nullable<Uuid>,
        quantity -> Int4,
        public -> Nullable<Bool>,
    }
}

diesel::table! {
    trade_lists (account_id, kind) {
        account_id -> Uuid,
        kind -> Text,
        visibility -> Text,
        revision -> Int8,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    trades (id) {
        id -> Uuid,
        offered_by -> Uuid,
        offered_to -> Uuid,
        state -> Text,
        message -> Nullable<Text>,
        counter_to -> Nullable<Uuid>,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        closed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    unlock_policies (id) {
        id -> Uuid,
        game_code -> Text,
        set_code -> Nullable<Text>,
        threshold -> Int4,
        rarities -> Int2,
        min_account_age_days -> Int2,
        per_network -> Nullable<Int4>,
        review -> Bool,
        unlock_at -> Nullable<Timestamptz>,
        revision -> Int8,
        updated_at -> Timestamptz,
        designer_perk -> Nullable<Text>,
    }
}

diesel::table! {
    unlocks (card_id) {
        card_id -> Uuid,
        threshold -> Int4,
        submissions -> Int4,
        unlocked_at -> Nullable<Timestamptz>,
        reason -> Nullable<Text>,
        by_policy -> Bool,
    }
}

diesel::table! {
    watched_decks (deck_id) {
        deck_id -> Uuid,
        game_code -> Text,
        due_at -> Timestamptz,
        cards -> Array<Nullable<Uuid>>,
        status -> Nullable<Text>,
        violations -> Array<Text>,
        deck_revision -> Nullable<Int8>,
        judged_on -> Nullable<Date>,
        game_revision -> Nullable<Int8>,
        events_seq -> Nullable<Int8>,
        judged_at -> Nullable<Timestamptz>,
        tried_game_revision -> Nullable<Int8>,
        untold -> Bool,
        saved_so -> Bool,
        judged_by -> Int2,
        tried_by -> Int2,
    }
}

diesel::table! {
    webhook_deliveries (id) {
        id -> Uuid,
        webhook_id -> Uuid,
        seq -> Nullable<Int8>,
        kind -> Text,
        state -> Text,
        attempts -> Int4,
        next_attempt_at -> Nullable<Timestamptz>,
        last_attempt_at -> Nullable<Timestamptz>,
        last_status -> Nullable<Int4>,
        last_failure -> Nullable<Text>,
        created_at -> Timestamptz,
        finished_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    webhooks (id) {
        id -> Uuid,
        url -> Text,
        description -> Text,
        kinds -> Array<Text>,
        game_code -> Nullable<Text>,
        disabled_at -> Nullable<Timestamptz>,
        disabled_reason -> Nullable<Text>,
        secret_generation -> Int4,
        previous_secret_until -> Nullable<Timestamptz>,
        cursor_seq -> Int8,
        failures -> Int4,
        failing_since -> Nullable<Timestamptz>,
        failed_at -> Nullable<Timestamptz>,
        resume_at -> Nullable<Timestamptz>,
        lease_id -> Nullable<Uuid>,
        lease_until -> Nullable<Timestamptz>,
        created_by -> Nullable<Uuid>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        deleted_at -> Nullable<Timestamptz>,
    }
}
