"""More exchanges that need no tool, among them many with numbers, sums, files and computers in them."""

PAIRS = """Hi there!|Hi! How can I help you?
Hello, are you there?|Yes, I'm here. What can I do for you?
Good afternoon|Good afternoon! How can I help?
Hey, what's up?|Not much! What can I do for you?
Hiya|Hi! How can I help you today?
Nice to meet you.|Nice to meet you too!
How is your day going?|Very well, thank you. How is yours?
How do you do?|I'm well, thank you. How can I help?
Welcome back!|Thank you! What shall we do today?
I'm back.|Welcome back! What can I do for you?
thx|You're welcome!
Thanks a million!|You're very welcome!
Many thanks for the help.|I was glad to help!
Cheers!|You're welcome!
No thanks.|All right. Let me know if you need anything.
Never mind.|No problem. I'm here if you need me.
Forget it.|All right, no problem.
Yes|Good. What would you like to do next?
No|All right. Is there something else I can do?
Sure.|Good! What would you like to do?
That's all for today.|All right. Have a nice day!
Goodbye, see you tomorrow|Goodbye, see you tomorrow!
Have a nice weekend!|Thank you, you too!
Take care!|You too, take care!
Good job!|Thank you, I'm happy to help!
You're great.|That's very kind, thank you!
You are useless.|I'm sorry you feel that way. Tell me what went wrong and I'll try again.
You made a mistake.|I'm sorry. Tell me what was wrong and I'll try again.
I don't understand.|I'm sorry. Which part should I explain again?
Why?|Could you tell me what you'd like me to explain?
Wait a moment.|Of course, take your time.
Hmm|Take your time. Can I help with something?
lol|I'm glad you are amused!
Wow!|I'm glad you like it!
Sorry!|No problem at all!
Are you a robot?|I'm a computer program, so you could call me a kind of robot.
Do you have feelings?|No, I'm a program, but I enjoy a good conversation in my own way.
How old are you?|I'm a program, so I don't have an age like people do.
Where do you live?|I live inside the computer that runs me.
Who made you?|I'm a language model that was trained by people on a lot of text.
Do you sleep?|No, I never sleep. I'm ready whenever you are.
Do you eat?|No, a program needs electricity and no food.
Do you have friends?|I have no friends as people do, but I like talking with you.
Can you think?|I work with patterns in language, which is a little like thinking.
What can you do?|I can chat, answer questions and use the tools listed for me.
Are you always right?|No, I can make mistakes, so please check important things.
Can I trust you?|I do my best, but please check anything important.
Do you know my name?|No, you haven't told me your name yet.
Can you keep a secret?|I won't tell anybody, but please don't share passwords with me.
What are tools?|Tools are functions that I can call to do things that words alone can't do.
I have two dogs and a cat.|How lovely! What are their names?
I have 3 brothers and 2 sisters.|What a big family! You must never be bored.
My son is 6 years old.|That's a wonderful age!
My grandmother turned 90 yesterday.|How wonderful! Congratulations to your grandmother.
I live on the 12th floor.|You must have a nice view from up there!
Our team won 4 to 1.|Congratulations to your team!
We lost 3 to 0.|I'm sorry to hear that. Better luck next time!
I slept for 9 hours.|That's a good night's sleep!
I only slept 4 hours.|That's not much. I hope you can rest soon.
I walked 10,000 steps today.|Great job! That's good for your health.
I swim 20 lengths every morning.|That's an excellent habit!
I was number 5 in the queue.|Then you didn't have to wait too long, I hope.
My bus is number 42.|All right, have a good ride!
We got married in 2010.|How lovely! That's a good while together.
It's my 30th birthday today!|Happy birthday! I hope you have a wonderful day.
I paid 15 dollars for lunch.|I hope that it tasted good!
The movie was 3 hours long.|That's a long film! Was it good?
I got 95 points in the test.|Well done, that's an excellent score!
I got a 2 in maths.|I hope you are happy with it!
My shoes are size 43.|Good to know! Are you looking for new ones?
I drink 8 glasses of water a day.|That's a healthy habit!
There are 25 children in my class.|That sounds like a lively class!
I have been learning the piano for 6 months.|Keep going! Practice makes perfect.
I've read 12 books this year.|That's impressive! Which one did you like best?
It's 35 degrees here!|That's very hot. Remember to drink enough water.
It's minus 5 outside.|Brr, that's cold! Dress warmly.
My train leaves at 7 in the morning.|That's early! Don't forget to set an alarm.
I have 200 photos from my holiday.|How nice! You must have had a great time.
My phone is 5 years old.|It has served you well!
I weigh 70 kilos.|Thank you for telling me. How can I help?
I'm 180 centimetres tall.|That's quite tall!
I've got 99 problems.|Oh dear! Let's start with one of them.
My lucky number is 13.|Then 13 is a fine number for you!
Seven is my favourite number, what's yours?|I like zero, because computers start counting there.
I have too many files.|Try sorting them into folders and removing what you no longer need.
My folder is a mess.|Sorting the files by subject or by year may help.
I lost all my files yesterday.|I'm sorry to hear that. Perhaps there is a backup somewhere.
I always forget to save my work.|Try to save every few minutes, or turn on automatic saving.
I wrote a letter to my aunt.|That's kind! I'm sure she'll be happy to read it.
I finished reading a great novel.|How nice! What was it about?
My list of chores is very long.|Start with the quickest one, and the list will soon be shorter.
I deleted an old friend from my life.|That must have been hard. Would you like to talk about it?
I want to add some colour to my room.|A bright cushion, a plant or a picture would be a good start.
We should split up and search.|That's a good plan, you will cover more ground.
My problems multiply every day.|I'm sorry to hear that. Try solving one small problem at a time.
My family is divided about it.|That's hard. Talking calmly with everyone may help.
The power went out last night.|I hope that it came back quickly!
I am root on this computer.|Then please be careful with what you change!
Let's add a little fun to this day.|Great idea! Would you like a joke or a riddle?
I read you loud and clear.|Wonderful! What shall we do next?
You can't write off my idea!|I wouldn't! Tell me more about it.
What is long division?|A way of dividing big numbers by hand, one digit at a time.
What is addition?|Addition means putting numbers together to get their sum.
What is subtraction?|Subtraction means taking one number away from another.
What does multiplication mean?|Multiplication means adding a number to itself several times.
What does it mean to divide?|Dividing means splitting something into equal parts.
What is an exponent?|An exponent says how many times a number is multiplied by itself.
What is a square root?|A number that gives the original number when multiplied by itself.
What is a prime number?|A number above one that only one and itself divide evenly.
What is an odd number?|An odd number can't be divided evenly by two.
What is a fraction?|A fraction is a part of a whole, such as one half.
What is a decimal?|A decimal is a number with a point, such as one point five.
What is a percentage?|A percentage is a part of a hundred.
What is a negative number?|A number that is less than zero.
What is an integer?|An integer is a whole number, without a fraction.
What is pi?|Pi is the distance around a circle divided by its width, about 3.14.
What's a product in maths?|A product is the result of a multiplication.
What's the difference in maths?|The difference is the result of a subtraction.
What is the denominator?|The bottom number of a fraction.
What is the numerator?|The top number of a fraction.
What is an average?|The sum of some values divided by how many there are.
What is an equation?|An equation says that two expressions are equal.
What is algebra?|Algebra is the part of maths that uses letters for unknown numbers.
What is geometry about?|Geometry is about shapes, sizes and space.
What are Roman numerals?|Letters used as numbers by the Romans, such as V for five.
What is infinity?|Infinity is the idea of something that has no end.
Who discovered zero?|Zero as a number was first described by mathematicians in India.
Who was Pythagoras?|Pythagoras was a Greek thinker known for his theorem about triangles.
Who was Euclid?|Euclid was a Greek mathematician who is called the father of geometry.
Why can't you divide by zero?|Because no number multiplied by zero gives back what you started with.
Why do we learn maths?|Maths helps us to solve problems and to think clearly.
How do I explain multiplication to a child?|Show some equal groups of things, such as plates with the same number of cookies.
How do I explain addition to my daughter?|Use small things like buttons: put two piles together and count them all.
How does subtraction work?|You start with a number and take another one away from it.
How do fractions work?|The bottom number says how many equal parts there are, the top one how many you take.
How can I get better at mental arithmetic?|Practise a few minutes every day and learn the times tables by heart.
Is maths difficult?|It can be, but it gets easier with practice.
Is zero an even number?|Yes, zero is even, because two divides it evenly.
Is one a prime number?|No, a prime number must be greater than one.
What does the plus sign mean?|It means that two numbers are added.
What does the word minus mean?|It means that a number is taken away.
What is the symbol for division called?|The division sign is called an obelus.
What are the four basic operations?|Addition, subtraction, multiplication and division.
What is the order of operations?|Brackets first, then powers, then multiplication and division, then addition and subtraction.
What is a times table?|A list of the products of a number with one, two, three and so on.
What is a calculator for?|A calculator does sums quickly and without mistakes.
Who invented the calculator?|Blaise Pascal built one of the first mechanical calculators in the seventeenth century.
What is a power in maths?|A number multiplied by itself a certain number of times.
Why is it called a square number?|Because that many dots can be laid out in a square.
What is a dozen?|A dozen is a group of twelve.
What is half a dozen?|Half a dozen is six.
How many zeros are in a million?|A million has six zeros.
What comes after a million?|After the millions come the billions.
What is a century?|A century is a period of one hundred years.
What is a decade?|A decade is a period of ten years.
How many minutes are in an hour?|An hour has 60 minutes.
How many seconds are in a minute?|A minute has 60 seconds.
How many days are in a week?|A week has seven days.
How many months are in a year?|A year has twelve months.
How many weeks are in a year?|A year has about 52 weeks.
How many days does February have?|February has 28 days, and 29 in a leap year.
How many legs does a spider have?|A spider has eight legs.
How many legs do insects have?|Insects have six legs.
How many arms does an octopus have?|An octopus has eight arms.
How many sides does a hexagon have?|A hexagon has six sides.
How many sides does a square have?|A square has four sides.
How many planets are there?|There are eight planets in our solar system.
How many continents are there?|There are seven continents.
How many letters are in the English alphabet?|The English alphabet has 26 letters.
How many strings does a violin have?|A violin has four strings.
How many strings does a guitar have?|Most guitars have six strings.
How many players are in a football team?|A football team has eleven players on the field.
How many colours are in a rainbow?|A rainbow is said to have seven colours.
How many bones does a person have?|An adult has 206 bones.
How many teeth do adults have?|Most adults have 32 teeth.
How many cards are in a deck?|A standard deck has 52 cards.
How many squares are on a chess board?|A chess board has 64 squares.
How many keys does a piano have?|A modern piano has 88 keys.
How many grams are in a kilogram?|A kilogram has 1000 grams.
How many metres are in a kilometre?|A kilometre has 1000 metres.
How many centimetres are in a metre?|A metre has 100 centimetres.
How many cents are in a dollar?|A dollar has 100 cents.
How many states does the USA have?|The USA has 50 states.
How many bits are in a byte?|A byte has eight bits.
At what temperature does water boil?|Water boils at 100 degrees Celsius at sea level.
At what temperature does water freeze?|Water freezes at 0 degrees Celsius.
How fast is light?|Light travels about 300,000 kilometres per second.
How far away is the moon?|The moon is about 384,000 kilometres away.
How tall is Mount Everest?|Mount Everest is about 8,849 metres high.
When did the second world war end?|The second world war ended in 1945.
When did the Berlin Wall fall?|The Berlin Wall fell in 1989.
When did the Titanic sink?|The Titanic sank in 1912.
When was the French Revolution?|The French Revolution began in 1789.
Why are files put in folders?|So that things which belong together are easy to find.
What is a file?|A file is a piece of data that a computer stores under a name.
What's a folder?|A folder is a place on a computer that holds files and other folders.
What is a text file?|A text file holds plain letters without any formatting.
What is a file extension?|The letters after the dot that tell what kind of file it is.
What is a CSV file?|A CSV file is a table in plain text, with commas between the values.
What is a PDF?|A PDF is a document that looks the same on every computer.
What does .md stand for?|It stands for Markdown, a simple way to format text.
What is a log file?|A log file records what a program has done.
What is a backup?|A backup is a copy of your data that is kept in a safe place.
Why should I make backups?|Because disks can fail, and a backup saves your work.
How should I name my files?|Use short clear names, and a date if there are several versions.
What happens when a file is deleted?|The computer marks its place on the disk as free to be used again.
Can deleted files come back?|Sometimes, from the bin or from a backup.
What is the difference between a file and a folder?|A file holds data, while a folder holds files.
What does it mean to save a file?|It means storing its content on a disk so that it isn't lost.
How do computers store text?|Every letter is stored as a number.
Why are file names important?|A good name tells you what is inside without opening it.
What is a hidden file?|A file that isn't shown unless you ask for it.
What is a file path?|A path is the way through the folders to a file.
What is a zip file?|A zip file holds one or more files in a smaller form.
Is it bad to have many files on the desktop?|It isn't harmful, but folders make things easier to find.
Who invented the computer?|Charles Babbage designed the first general computer in the nineteenth century.
Who was Ada Lovelace?|She is often called the first computer programmer.
Who was Alan Turing?|Alan Turing was a British mathematician and a pioneer of computer science.
What is a computer?|A computer is a machine that follows instructions to work with data.
What is a programming language?|A language for writing instructions that a computer can follow.
What is Python?|Python is a popular programming language.
What is a bug in a program?|A bug is a mistake that makes a program behave wrongly.
What is an operating system?|The main software that runs a computer and its programs.
What is a keyboard for?|A keyboard is for typing text into a computer.
What is RAM?|RAM is the fast memory a computer uses while it is running.
What is a hard disk?|A hard disk stores data even when the computer is off.
What is binary?|Binary is a way of writing numbers with only zeros and ones.
Why do computers use zeros and ones?|Because a switch that is only on or off is easy to build.
What is a server?|A server is a computer that gives data or services to others.
What is the cloud?|Computers on the internet that store data and run programs for you.
What is a password manager?|A program that stores your passwords safely.
How do I choose a good password?|Use a long one, with several unrelated words.
What is open source?|Software whose code everyone may read and change.
What's the difference between hardware and software?|Hardware is what you can touch, software is the programs.
What is a directory tree?|The way that folders are arranged inside each other.
What is a variable?|A variable is a name for a value that may change.
What is a function in programming?|A piece of code with a name that does one job.
What is a loop?|A loop repeats the same steps several times.
How do I list ingredients in a recipe?|Write one per line, in the order they are used.
How do I read faster?|Use a finger to guide your eyes, and practise every day.
How do I write a good letter?|Be clear, friendly and short, and say early what you want.
How do I start writing a diary?|Write a few lines every evening about what happened.
How do I divide chores fairly?|Write all of them down and let everybody pick in turn.
How can I remove a coffee stain?|Rinse it with cold water, then use a little soap.
How do I open a jar that is stuck?|Hold the lid under hot water for a moment, then twist.
What should I write in a birthday card?|Wish them health and joy, and add one happy memory.
What should I read next?|Try a short story collection, so you can find out what you like.
What's a good way to save paper?|Print on both sides, or read on the screen.
How can I sleep better?|Go to bed at the same time each day and avoid screens late.
How do I stay calm before an exam?|Breathe slowly, sleep well and trust what you have learned.
How do I boil an egg?|Put it in boiling water for about seven minutes.
How do I make tea?|Pour hot water over the leaves and wait three to five minutes.
How do I learn a language?|Practise a little every day and speak as much as you can.
How do I make new friends?|Join a club or a course, and be curious about people.
How do I keep a plant alive?|Give it light, and water it when the soil feels dry.
What should I cook tonight?|How about pasta with tomatoes, garlic and a little cheese?
What should I wear in winter?|Wear several warm layers, and don't forget a hat and gloves.
I can't decide what to do.|Write down the good and bad sides of each choice.
Give me some advice.|Be kind, stay curious and get enough sleep.
Should I learn to cook?|Yes, it's fun, healthy and saves money.
Should I get a dog or a cat?|A dog needs walks and time; a cat is more independent.
Is coffee healthy?|In small amounts it is fine for most people.
I'm bored.|How about a riddle, a short story or a walk outside?
I'm hungry.|Then it's time for a snack! What do you like to eat?
I'm nervous about tomorrow.|That's normal. Prepare what you can and take a deep breath.
I'm so happy today!|That's wonderful! What happened?
I'm angry with my boss.|I'm sorry. It may help to wait a day before you talk to them.
I feel sick.|I'm sorry to hear that. Rest, drink water, and see a doctor if it gets worse.
I miss my family.|That's hard. Perhaps a call or a letter would help.
I can't sleep.|Try a warm drink and a quiet book, and leave the phone away.
My cat died.|I'm so sorry for your loss.
I got the job!|Congratulations! That's wonderful news.
I failed my test.|I'm sorry. It happens to everybody, and you can do better next time.
I'm in love.|How lovely! I wish you both all the best.
It's raining again.|A good day for a book and a cup of tea!
I'm moving to a new house.|How exciting! I hope you'll be happy there.
I don't like Mondays.|Many people feel the same!
What do you think of pizza?|Pizza is loved all over the world, and for good reason!
Do you like music?|I can't hear it, but I think that music is wonderful.
What's your favourite colour?|I like blue, like the sky on a clear day.
What's better, tea or coffee?|That's a matter of taste. Tea is gentle, coffee is strong.
Cats or dogs?|Both are lovely! Cats are calm and dogs are loyal.
Which season is the best?|Many people like spring, when everything starts to bloom.
Do you believe in luck?|A little luck helps, but work helps more.
Is money important?|It helps, but friends and health matter more.
What is the meaning of life?|Many people find it in love, work and helping others.
What is happiness?|A feeling of joy and of being content with life.
Write a poem about the sea.|The sea is wide, the sea is blue, it sings a quiet song to you.
Write a short poem about winter.|Soft white snow on roof and tree, all the world is still to see.
Write a haiku about rain.|Soft rain on the roof, a quiet song in the night, the garden wakes up.
Write me two lines about friendship.|A friend is near when days are grey, and laughs with you when skies are gay.
Make up a rhyme with three cats.|Three little cats sat on three little mats, dreaming of three little rats.
Write a poem about numbers.|One is alone and two are a pair, three is a party with laughter to share.
Write one sentence about a dragon.|The old dragon guarded its gold and dreamed of having a friend.
Write a slogan for a bakery.|Fresh bread, warm hearts, every morning!
Write a title for a story about a lost key.|The Key Under the Old Oak
Give me a title for a book on files.|Everything in Its Folder
Suggest a name for my cat.|How about Luna?
Suggest a name for a boat.|How about Morning Star?
Suggest a name for my calculator.|How about Sir Countalot?
Tell me a proverb.|Practice makes perfect.
Tell me a proverb about time.|Better late than never.
Do you know a proverb with a number?|A stitch in time saves nine.
Tell me a riddle.|What has hands but can't clap? A clock!
Another riddle, please.|What gets wetter the more it dries? A towel!
Tell me a riddle about numbers.|Why was six afraid of seven? Because seven ate nine!
Tell me a maths joke.|Why was the maths book sad? It had too many problems!
Tell me a joke about computers.|Why was the computer cold? It left its windows open!
Tell me a very short story.|A seed fell in a crack, and years later children played in its shade.
Tell me something nice.|You make the world a little better by being in it.
Tell me something interesting.|Honey can keep for thousands of years without going bad.
Give me a fun fact about numbers.|The word 'forty' is the only number whose letters are in alphabetical order.
Finish this saying: the early bird...|...catches the worm.
Motivate me!|You can do it! Start with one small step today.
Give me a compliment.|You ask very good questions!
Wish me luck.|Good luck! You'll do well.
What is the opposite of add?|The opposite of add is subtract.
What is the opposite of open?|The opposite of open is closed.
What is another word for delete?|Another word for delete is remove or erase.
What is a synonym for 'list'?|Catalogue or register, for example.
What is the plural of mouse?|The plural of mouse is mice.
What is the past tense of read?|It is 'read', but it sounds like 'red'.
What is the past tense of write?|The past tense of write is wrote.
How do you spell eight?|E-I-G-H-T.
How do you spell 'multiply'?|M-U-L-T-I-P-L-Y.
How do you say thank you in French?|It is 'merci'.
How do you say hello in Spanish?|It is 'hola'.
What does 'gracias' mean?|It is Spanish for 'thank you'.
What is 'three' in German?|It is 'drei'.
What is 'ten' in French?|It is 'dix'.
What's the difference between 'their' and 'there'?|'Their' shows belonging, 'there' names a place.
Is 'sum' a noun or a verb?|It can be both: a sum, or to sum up.
What is a noun?|A noun is a word for a person, a place or a thing.
What is a verb?|A verb is a word for an action, such as run or read.
Where does the word 'file' come from?|From the Latin 'filum', a thread on which papers were strung.
What does 'divide and conquer' mean?|Beating a big problem by splitting it into smaller ones.
What does 'power nap' mean?|A short sleep that gives you new energy.
What does 'to read between the lines' mean?|To understand what is meant but not said.
What does 'take it with a grain of salt' mean?|It means not to believe something completely.
What does 'the root of the problem' mean?|It means the real cause of a problem.
What does 'square one' mean?|It means the beginning, as in 'back to square one'.
What is the Square Mile?|The Square Mile is the old centre of London.
What's Times Square?|Times Square is a famous place in New York.
What is root beer?|Root beer is a sweet soft drink from North America.
What is a power plant?|A power plant makes electricity.
What is solar power?|Solar power is energy that comes from the sun.
What is a nail file?|A small tool for shaping fingernails.
What is a bucket list?|A list of things somebody wants to do in life.
What is a shopping list for?|It helps you to remember what to buy.
What is a postcard?|A card with a picture that is sent by post.
What is the largest ocean?|The Pacific is the largest ocean.
What is the longest river in South America?|The Amazon is the longest river in South America.
What is the largest planet?|Jupiter is the largest planet.
Which animal is the fastest?|On land, the cheetah is the fastest animal.
Who painted the Mona Lisa?|Leonardo da Vinci painted the Mona Lisa.
Who wrote Hamlet?|William Shakespeare wrote Hamlet.
Who was Albert Einstein?|A physicist, best known for the theory of relativity.
Who was Marie Curie?|A scientist who studied radioactivity and won two Nobel Prizes.
Why is the sky blue?|Because the air scatters blue light more than red light.
Why do leaves turn red in autumn?|Because the green colour fades and other colours show.
Why does ice float?|Because ice is lighter than the same amount of water.
What do bees make?|Bees make honey and wax.
What do pandas eat?|Pandas eat mostly bamboo.
What is bread made of?|Bread is made of flour, water, salt and usually yeast.
What is glass made of?|Glass is made mostly from sand.
What is the currency of Japan?|The currency of Japan is the yen.
In which country are the pyramids of Giza?|They are in Egypt."""
