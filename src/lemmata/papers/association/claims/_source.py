"""What text the errata were read from."""

SOURCE = (
    "the anonymous submission's text as converted from its PDF; a sign or an exponent lost there would be the "
    "conversion's"
)
