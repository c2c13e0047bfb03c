from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firsthand.capture.fences import Fence, cut, find_fences, says_nothing

OURS, THEIRS = "0123456789abcdef", "fedcba9876543210"


def tag(nonce, closing=False):
    return f'<{"/" if closing else ""}firsthand-memory nonce="{nonce}">'


def packet(nonce, content="Ana lives in Berlin"):
    return f"{tag(nonce)}\n{content}\n{tag(nonce, closing=True)}"


def ours(nonce):
    return nonce == OURS


def test_our_packet_is_cut_and_the_words_around_it_stay():
    assert cut(f"before\n{packet(OURS)}\nafter", ours) == ("before\nafter", 1)
    assert cut(f"before {packet(OURS)} after", ours) == ("before  after", 1)


def test_a_foreign_packet_stays_and_ours_beside_it_goes():
    text = f"{packet(THEIRS)}\n{packet(OURS)}"
    assert cut(text, ours) == (f"{packet(THEIRS)}\n", 1)
    assert [fence.nonce for fence in find_fences(text)] == [THEIRS, OURS]


def test_a_packet_without_an_end_is_cut_to_the_end_of_the_text():
    text = f"kept {tag(OURS)}\nAna lives in Berlin"
    assert cut(text, ours) == ("kept ", 1)
    assert find_fences(text) == [Fence(OURS, 5, len(text))]


def test_only_the_closing_tag_of_the_same_nonce_closes():
    text = packet(OURS, content=f"x {tag(THEIRS, closing=True)} </firsthand-memory> y") + " kept"
    assert cut(text, ours) == (" kept", 1)


def test_a_fence_forged_inside_ours_is_content():
    text = packet(OURS, content=packet(THEIRS)) + " kept"
    assert cut(text, ours) == (" kept", 1)
    assert len(find_fences(text)) == 1


@pytest.mark.parametrize("wrap", [lambda p: packet(THEIRS, p), lambda p: tag(THEIRS) + p])
def test_a_forged_fence_around_ours_does_not_hide_it(wrap):
    result = cut(wrap(packet(OURS)), ours)
    assert result.removed == 1
    assert "Berlin" not in result.text
    assert THEIRS in result.text


def test_a_stray_closing_tag_is_a_word_like_any_other():
    text = f"{tag(OURS, closing=True)} kept"
    assert cut(text, ours) == (text, 0)
    assert cut(text + packet(OURS), ours).removed == 1


def test_a_packet_quoted_in_json_is_cut_too():
    quoted = packet(OURS).replace('"', '\\"').replace("\n", "\\n")
    assert cut(f'{{"output": "{quoted} kept"}}', ours) == ('{"output": " kept"}', 1)


@pytest.mark.parametrize("mark", ["> ", ">", " > ", "> > ", ">> "])
def test_a_packet_that_was_quoted_line_by_line_leaves_no_marks(mark):
    quoted = mark + packet(OURS).replace("\n", f"\n{mark}")
    assert cut(quoted, ours) == ("", 1)
    assert cut(f"You said:\n{quoted}\nIs that so?", ours) == ("You said:\nIs that so?", 1)
    assert cut(f"{quoted} indeed", ours) == (f"{mark} indeed", 1)
    assert cut(f"2 {quoted}\nkept", ours) == (f"2 {mark}\nkept", 1)
    assert cut(f"{quoted}\n{quoted}", ours) == ("", 2)
    foreign = mark + packet(THEIRS).replace("\n", f"\n{mark}")
    assert cut(f"{foreign}\n{quoted}", ours) == (f"{foreign}\n", 1)


def test_two_packets_on_one_line_leave_the_line_its_end():
    assert cut(f"a{packet(OURS)}{packet(OURS)}\nb", ours) == ("a\nb", 2)


@pytest.mark.parametrize(("left", "nothing"), [("", True), (" \n> \n>>", True), ("> yes", False), ("2", False)])
def test_space_and_marks_of_quoting_say_nothing(left, nothing):
    assert says_nothing(left) is nothing


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ana lives in Berlin",
        "the firsthand-memory package",
        '<firsthand-memory nonce="0123">',
        '<firsthand-memory nonce="0123456789ABCDEF">',
        '<firsthand-memory  nonce="0123456789abcdef">',
    ],
)
def test_text_without_a_packet_is_returned_as_it_is(text):
    assert cut(text, lambda _: True) == (text, 0)
    assert find_fences(text) == []
    assert cut(text + packet(OURS), ours) == (text, 1)


def test_each_nonce_is_asked_about_once():
    asked = []
    cut(packet(THEIRS) * 50 + packet(OURS) * 2, lambda nonce: asked.append(nonce) or nonce == OURS)
    assert asked == [THEIRS, OURS]


PIECES = st.lists(st.sampled_from([tag(OURS), tag(OURS, True), tag(THEIRS), tag(THEIRS, True), "Ana", "\n"]))


@given(PIECES)
def test_after_cutting_no_opening_tag_of_ours_is_left(pieces):
    text = "".join(pieces)
    result = cut(text, ours)
    assert tag(OURS) not in result.text
    assert (result.removed > 0) == (tag(OURS) in text)


@given(PIECES)
def test_fences_do_not_overlap_and_begin_with_their_tag(pieces):
    text = "".join(pieces)
    fences = find_fences(text)
    assert all(text.startswith(tag(fence.nonce), fence.start) for fence in fences)
    assert all(one.end <= two.start for one, two in pairwise(fences))
