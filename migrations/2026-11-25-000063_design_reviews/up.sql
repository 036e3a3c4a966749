-- Reviews of designs: one for each time that a design was submitted.

CREATE TABLE design_reviews (
    id uuid PRIMARY KEY,
    design_id uuid NOT NULL REFERENCES designs ON DELETE CASCADE,
    revision bigint NOT NULL CHECK (revision >= 1),
    submitted_at timestamptz NOT NULL,
    reviewer_id uuid REFERENCES accounts,
    lease_until timestamptz,
    decision text CHECK (decision IN ('approved', 'declined')),
    reason text CHECK (char_length(reason) BETWEEN 1 AND 16000),
    closed_at timestamptz,
    CHECK ((reviewer_id IS NULL) = (lease_until IS NULL)),
    CHECK (decision IS NULL OR reviewer_id IS NOT NULL AND reason IS NOT NULL AND closed_at IS NOT NULL)
);
COMMENT ON COLUMN design_reviews.revision IS 'The revision that is judged: it cannot be changed meanwhile.';
COMMENT ON COLUMN design_reviews.lease_until IS 'Until then nobody else can claim the review.';
COMMENT ON COLUMN design_reviews.decision IS 'NULL in a closed review: its author took the design back.';
CREATE UNIQUE INDEX design_reviews_open ON design_reviews (design_id) WHERE closed_at IS NULL;
CREATE INDEX design_reviews_queue ON design_reviews (id) WHERE closed_at IS NULL;
CREATE INDEX design_reviews_design ON design_reviews (design_id, id);
