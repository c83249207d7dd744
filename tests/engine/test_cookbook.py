"""Every command and every line of Python of the cookbook is run, and prints what the page says."""

from cookbook import PAGE, alike, answered_block, blocks, in_a_folder_of_its_own


def test_the_cookbook_prints_what_it_says() -> None:
    names: dict = {}
    with in_a_folder_of_its_own():
        for kind, text in blocks(PAGE.read_text()):
            assert alike(answered_block(kind, text, names)) == alike(text), f"`python tests/cookbook.py` renews {PAGE}"


def test_ten_questions_each_with_a_command_and_python() -> None:
    questions = PAGE.read_text().split("\n## ")[1:]
    assert len(questions) == 10
    for question in questions:
        assert question.splitlines()[0].endswith("?")
        assert {kind for kind, _ in blocks(question)} == {"console", "python"}
